"""One file per family of demos. Each has `run(job) -> tuple[Block, ...]`: parameters in, blocks out."""
