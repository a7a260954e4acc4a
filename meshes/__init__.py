"""Terrain as solids: built, loaded, understood, inspected. Knows nothing of tables or games."""
