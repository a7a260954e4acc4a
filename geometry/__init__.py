"""Numbers in, numbers out: units, shapes, rays and the certified search. Knows nothing of terrain or games."""
