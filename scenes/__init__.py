"""The table: models, units, terrain and areas as frozen values, the facts about them, and the rulings."""
