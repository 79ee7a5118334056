// In place of a Voice (voice.js) where nothing is to be recorded: the stand asks it the same, and it does nothing.

export class Silent {
  known = true;
  records = false;
  async prepare() { return true; }
  async finish() { return true; }
  begin() { return ""; }
  rejoin() {}
  cutOff() {}
  giveUp() {}
  discard() {}
  hidden() {}
  away() {}
  leave() {}
}
