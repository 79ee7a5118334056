"""Speech to text, within a process of its own (app/worker/hearing_child.py): sound in, words with their times out."""
