// The Durable Object class of the deployment: an SQL database for each object name. The program creates
// its tables by SQL, and the class knows only that of the alerts.
import { DurableObject } from "cloudflare:workers";
import { sendAlerts } from "./alert.mjs";
import { Rows, statementsOf } from "./packed.mjs";
import { kvDelete, kvPut } from "./store.mjs";

const COPY_TRIES = 3;
const COPY_PAUSE = 1100; // ms
const MAX_ROWS = 16 << 20; // bytes of all values in the rows of a batch

export class EndpointState extends DurableObject {
  #changes = Promise.resolve(); // the last change, settled or not
  // The texts without arguments that have created tables. Each batch begins with the program's tables,
  // whose text takes longer to compile than all the rest, and nothing else changes the object's tables.
  // A text with arguments does more than create tables, and always runs.
  #created = new Set();
  #alarm; // the time for which the alarm is set, in Unix seconds; null for none, undefined if unknown

  // batch runs packed statements in a transaction and returns their rows, packed. An error names
  // the failed statement. The value of a column called alarm sets the object's alarm.
  batch(packed) {
    return this.#batch(statementsOf(packed)).packed;
  }

  // account is batch, but returns only the first value of the last statement's rows, if any.
  account(packed) {
    return this.#batch(statementsOf(packed)).first;
  }

  // merge runs packed statements without arguments in a transaction. text is the argument of each.
  merge(packed, text) {
    this.#batch(statementsOf(packed).map(({ sql }) => ({ sql, args: [text] })));
  }

  #batch(statements) {
    const rows = new Rows();
    let alarm;
    try {
      this.ctx.storage.transactionSync(() => {
        for (const [i, { sql, args }] of statements.entries()) {
          try {
            alarm = this.#run(sql, args, rows) ?? alarm;
          } catch (error) {
            throw new Error(`statement ${i}: ${error.message}`);
          }
        }
      });
    } catch (error) {
      this.#created.clear(); // the tables of this batch are rolled back
      throw error;
    }
    if (alarm) this.#wakeAt(alarm.at);
    return rows;
  }

  async alarm() {
    this.#alarm = null;
    this.#wakeAt(await sendAlerts(this.env, this.ctx.storage));
  }

  // #wakeAt sets the object's alarm to a time in Unix seconds, or removes the alarm if at is null.
  #wakeAt(at) {
    if (at === this.#alarm) return; // each change of the alarm writes a row
    this.#alarm = at;
    if (at === null) this.ctx.storage.deleteAlarm();
    else this.ctx.storage.setAlarm(at * 1000);
  }

  // change runs packed statements, writes the key in KV (or deletes the key if value is null), and
  // runs the statements after. While change waits for KV, the object accepts other calls, but no
  // other change.
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

  // #copy writes to KV, with retries: KV accepts one write of a key per second, and refuses more.
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

  // #run runs a statement. If its column is called alarm, #run returns { at } with the value.
  #run(sql, args, rows) {
    if (this.#created.has(sql)) {
      rows.statement(0);
      return undefined;
    }
    const cursor = this.ctx.storage.sql.exec(sql, ...args);
    const { columnNames } = cursor;
    let alarm;
    rows.statement(columnNames.length);
    for (const row of cursor.raw()) {
      for (const value of row) rows.add(value);
      if (rows.size > MAX_ROWS) throw new Error(`the rows take more than ${MAX_ROWS >> 20} MB`);
      if (columnNames.length === 1 && columnNames[0] === "alarm") alarm = { at: row[0] };
    }
    if (sql.includes("DROP TABLE")) this.#created.clear();
    else if (args.length === 0 && sql.startsWith("CREATE TABLE IF NOT EXISTS")) this.#created.add(sql);
    return alarm;
  }
}
