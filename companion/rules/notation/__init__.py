"""The notations, text in and text out, no I/O: .mat, gnubg .sgf, JSON (companion.rules.ids holds the position ids)."""
