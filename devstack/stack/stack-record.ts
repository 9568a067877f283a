import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isSameProcess } from './process-identity.ts';
import type { StackFiles } from './stack-files.ts';

/** `stack.json`: what people and tools need to use a running stack. */
export interface StackDescription {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly uiUrl: string };
  readonly cloud: { readonly provider: string; readonly endpoint: string };
  readonly processes: Readonly<Record<string, { readonly pid: number; readonly log: string }>>;
}

/** `supervisor.json`: what a stop needs. Written at every spawn, so that even a start that was killed can be undone. */
export interface SupervisorRecord {
  /** The program that started the stack; gone after `--detach`. */
  readonly supervisor: RecordedProcess;
  /** In the order to stop them. */
  readonly processes: readonly (RecordedProcess & { readonly name: string; readonly log: string })[];
  /** True once everything was ready. */
  readonly complete: boolean;
}

export interface RecordedProcess {
  readonly pid: number;
  /** See `process-identity.ts`. */
  readonly identity: string;
}

/** True where it is still that process. */
export function isAlive(recorded: RecordedProcess): boolean {
  return isSameProcess(recorded.pid, recorded.identity);
}

export function readSupervisorRecord(files: StackFiles): SupervisorRecord | undefined {
  return readJson(files.supervisorJson) as SupervisorRecord | undefined;
}

export function readStackDescription(files: StackFiles): StackDescription | undefined {
  return readJson(files.stackJson) as StackDescription | undefined;
}

export function writeSupervisorRecord(files: StackFiles, record: SupervisorRecord): void {
  writeJson(files.supervisorJson, record);
}

export function writeStackDescription(files: StackFiles, description: StackDescription): void {
  writeJson(files.stackJson, description);
}

export function removeRecords(files: StackFiles): void {
  rmSync(files.stackJson, { force: true });
  rmSync(files.supervisorJson, { force: true });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // None there, which is how a stopped stack looks.
  }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
