"""The drill room: a spoken card (`pitch`) is said against a clock, heard, looked at, ticked and rated by its learner.

The path of a take, by package:

- this folder: choose a pitch, and the stand with its clock (`pages`, `timing`, `stages`); the signed `attempt` that
  travels through the browser; what a rated take is (`service`, `store`).
- `recording`: sound on its way to the disk, kept, found again, let go.
- `hearing`: who writes a recording down, the order for it, what came of it.
- `scoring`: pure rules from words to marks and figures: alike spellings, guards, key points, pace.
- `said`: what was said in an attempt or take, heard or typed, with its marks.
- `typed`, `review`: the pages for an answer that is typed, and after a take.
- `judge`: a language model's comments, where a learner chose one.
- `history`: all takes over time, and as a zip.
"""
