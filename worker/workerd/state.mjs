// The Durable Object class of the deployment: a SQL database for each object's name. The class
// itself knows no tables; they are the program's, in SQL.
import { DurableObject } from "cloudflare:workers";
import { Rows, statementsOf } from "./packed.mjs";
import { kvDelete, kvPut } from "./store.mjs";

const COPY_TRIES = 3;
const COPY_PAUSE = 1100; // ms
const MAX_ROWS = 16 << 20; // bytes of the values that a batch may return

export class EndpointState extends DurableObject {
  #changes = Promise.resolve(); // the last change, settled or not

  // batch runs packed statements in one transaction and returns their rows, packed. Its error names
  // the statement that failed.
  batch(packed) {
    const rows = new Rows();
    this.ctx.storage.transactionSync(() => {
      for (const [i, { sql, args }] of statementsOf(packed).entries()) {
        try {
          this.#run(sql, args, rows);
        } catch (error) {
          throw new Error(`statement ${i}: ${error.message}`);
        }
      }
    });
    return rows.packed;
  }

  // change runs packed statements, writes the key of KV (value null: deletes it), and runs the
  // statements after. While it waits for KV the object takes other calls, but no other change.
  change(packed, key, value, metadata, after) {
    const due = this.#changes.then(async () => {
      this.batch(packed);
      await this.#copy(() =>
        value === null ? kvDelete(this.env, key) : kvPut(this.env, key, value, metadata, 0),
      );
      this.batch(after);
    });
    this.#changes = due.catch(() => {});
    return due;
  }

  // #copy writes to KV, which takes one write of a key in a second, and refuses the others: such a
  // one is tried again.
  async #copy(write) {
    for (let tries = 1; ; tries++) {
      try {
        return await write();
      } catch (error) {
        if (tries === COPY_TRIES) throw new Error(`not copied: ${error.message}`);
        await scheduler.wait(COPY_PAUSE);
      }
    }
  }

  #run(sql, args, rows) {
    const cursor = this.ctx.storage.sql.exec(sql, ...args);
    rows.statement(cursor.columnNames.length);
    for (const row of cursor.raw()) {
      for (const value of row) rows.add(value);
      if (rows.size > MAX_ROWS) throw new Error(`the rows take more than ${MAX_ROWS >> 20} MB`);
    }
  }
}
