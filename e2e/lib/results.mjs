// The passed tests of clients, and of Open Responses' suite as a client: e2e/clients/results.json,
// from which wasmtest/readme makes the table of docs/clients.md.
import { readFile, writeFile } from "node:fs/promises";

const file = new URL("../clients/results.json", import.meta.url);

export const HOSTS = ["workerd", "wazero"];

// read returns the results: rows of { client, api, suite, fails, date, passed: { upstream: [host] } }.
// date is the day of the row's last run. fails has the client's faults, by upstream, if it has any.
export const read = async () => JSON.parse(await readFile(file, "utf8"));

const nameOf = (client) => client.replace(/ \S+$/, ""); // without the version

// update saves the tests of a run on a host: rows of { client, api, suite, fails, upstream, ok }. Rows of
// other clients are unchanged. Rows of other versions of the same clients are removed.
export async function update(host, ran) {
  let rows = await read();
  for (const { client, api, suite, fails, upstream, ok } of ran) {
    let row = rows.find((row) => row.client === client && row.api === api && row.suite === suite);
    if (!row) {
      // the row of a new version has the place of the old one
      const older = rows.findIndex(
        (row) => nameOf(row.client) === nameOf(client) && row.api === api && row.suite === suite,
      );
      row = { client, api, suite, date: "", passed: {} };
      rows.splice(older < 0 ? rows.length : older, older < 0 ? 0 : 1, row);
    }
    row.fails = fails;
    row.date = new Date().toISOString().slice(0, 10);
    const others = (row.passed[upstream] ?? []).filter((name) => name !== host);
    row.passed[upstream] = HOSTS.filter((name) => others.includes(name) || (ok && name === host));
  }
  rows = rows.filter(({ client }) =>
    ran.every((run) => run.client === client || nameOf(run.client) !== nameOf(client)),
  );
  const place = ({ client, api, suite }) =>
    ran.findIndex((run) => run.client === client && run.api === api && run.suite === suite);
  rows.sort((a, b) => (place(a) >= 0 && place(b) >= 0 ? place(a) - place(b) : 0));
  await writeFile(file, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`);
}
