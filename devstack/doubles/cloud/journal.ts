/**
 * What survives the cloud's death: one file of JSON lines that is only ever appended to. Lines are written in one go
 * before the answer that depends on them leaves, so a SIGKILL loses nothing that anybody was told. There is no fsync: a
 * crash of the machine itself may lose the last lines.
 */

import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { Behaviour } from './behaviour.ts';
import type { TokenBinding } from './client-tokens.ts';
import type { CloudInstance } from './cloud-instance.ts';
import type { LedgerCall } from './ledger.ts';
import type { Access } from './access.ts';

/** `instance` holds all of the instance as it is from then on. */
export type JournalRecord =
  | { readonly record: 'instance'; readonly instance: CloudInstance }
  | { readonly record: 'token'; readonly binding: TokenBinding }
  | { readonly record: 'call'; readonly call: LedgerCall }
  | { readonly record: 'behaviour'; readonly instanceType: string; readonly behaviour: Behaviour }
  | { readonly record: 'access'; readonly access: Access };

const isRecord = new Ajv().compile<JournalRecord>({
  type: 'object',
  required: ['record'],
  anyOf: ['instance', 'token', 'call', 'behaviour', 'access'].map((record) => ({
    properties: { record: { const: record }, [record === 'token' ? 'binding' : record]: { type: 'object' } },
    required: [record === 'token' ? 'binding' : record],
  })),
});

export class Journal {
  readonly #file: number;
  #pending: string[] = [];

  private constructor(file: number) {
    this.#file = file;
  }

  /**
   * Opens the journal in this folder, which is made where it is missing, and passes all that it holds to `replay`. A
   * last line that a kill cut short is dropped: nobody was told of it. Any other line that cannot be read is an error.
   */
  static open(stateDir: string, replay: (record: JournalRecord) => void): Journal {
    mkdirSync(stateDir, { recursive: true });
    const path = join(stateDir, 'journal.jsonl');
    const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const end = content.lastIndexOf('\n') + 1;
    const lines = content.toString('utf8', 0, end).split('\n').slice(0, -1);
    lines.forEach((line, index) => replay(parseLine(line, `${path}:${index + 1}`)));
    const file = openSync(path, 'a');
    ftruncateSync(file, end);
    return new Journal(file);
  }

  append(record: JournalRecord): void {
    this.#pending.push(`${JSON.stringify(record)}\n`);
  }

  /** Writes what was appended. To be called before every answer. */
  flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.from(this.#pending.join(''));
    this.#pending = [];
    let written = 0;
    while (written < bytes.length) written += writeSync(this.#file, bytes, written);
  }

  close(): void {
    this.flush();
    closeSync(this.#file);
  }
}

function parseLine(line: string, where: string): JournalRecord {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (error) {
    throw new Error(`reading the cloud's journal: ${where} is not JSON`, { cause: error });
  }
  if (!isRecord(record)) throw new Error(`reading the cloud's journal: ${where} is no record it knows`);
  return record;
}
