import { setTimeout as sleep } from 'node:timers/promises';
import { stackFiles } from './stack-files.ts';
import { isAlive, readSupervisorRecord, removeRecords, type RecordedProcess } from './stack-record.ts';

/** How long a foreground `npm start` may take to end its stack, in milliseconds. */
const SUPERVISOR_GRACE_MS = 60_000;
/** How long a server may take to end before it is killed, in milliseconds. */
const PROCESS_GRACE_MS = 15_000;
const POLL_MS = 100;

/**
 * Ends the stack of a state folder from outside: asks the program that started it where that still runs, and ends what
 * is left by itself. Touches no process but those recorded, and only while they are the recorded ones.
 * @returns names of the processes that ran
 */
export async function stopStack(stateDir: string): Promise<readonly string[]> {
  const files = stackFiles(stateDir, '');
  const record = readSupervisorRecord(files);
  if (!record) return [];
  const running = record.processes.filter(isAlive).map(({ name }) => name);
  if (record.supervisor.pid !== process.pid && isAlive(record.supervisor)) {
    process.kill(record.supervisor.pid, 'SIGTERM');
    await ended(record.supervisor, SUPERVISOR_GRACE_MS);
  }
  // It may have started one more since.
  const left = readSupervisorRecord(files) ?? record;
  for (const recorded of left.processes) await endProcess(recorded);
  removeRecords(files);
  return running;
}

async function endProcess(recorded: RecordedProcess): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(recorded)) return;
    process.kill(recorded.pid, signal);
    if (signal === 'SIGTERM') process.kill(recorded.pid, 'SIGCONT'); // A stopped process would not see it.
    await ended(recorded, PROCESS_GRACE_MS);
  }
}

async function ended(recorded: RecordedProcess, graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs;
  while (isAlive(recorded) && Date.now() < deadline) await sleep(POLL_MS);
}
