// Putting the record right: every finished change of the position is one command in the log.

import { send } from "./app.js";
import { put } from "./dom.js";
import { Editor } from "./editor.js";
import { gnuId } from "./ids.js";
import { t } from "./texts.js";

export class Correction {
  /** `view()`: the newest view of the table. */
  constructor(board, view) {
    this.board = board;
    this.current = view;
    this.active = false;
    this.onEnd = () => {};
    this.editor = new Editor(board);
    this.editor.changed = (draft) => this.submit(draft);
    this.editor.done = () => this.stop();
    this.panel = this.editor.panel;
  }

  set bottom(seat) {
    this.editor.bottom = seat;
  }

  start() {
    this.active = true;
    document.documentElement.dataset.correcting = "yes";
    this.editor.load(this.current());
    this.onEnd();
  }

  stop() {
    this.active = false;
    delete document.documentElement.dataset.correcting;
    this.board.interactive(null);
    this.board.mark();
    put(this.panel);
    this.onEnd();
  }

  /** As soon as the position can be, it is sent; until then the draft waits for the rest. */
  async submit(draft) {
    const command = { command: "set_position", position: gnuId(draft.white, draft.black) };
    if (!(await send(command, t("correct.sent")))) this.editor.load(this.current());
  }
}
