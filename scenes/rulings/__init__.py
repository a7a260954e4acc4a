"""One file for each rule system; they never import each other."""
