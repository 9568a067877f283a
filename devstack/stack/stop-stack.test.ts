import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { processIdentity } from './process-identity.ts';
import { stackFiles } from './stack-files.ts';
import { readSupervisorRecord, writeSupervisorRecord } from './stack-record.ts';
import { stopStack } from './stop-stack.ts';

let stateDir: string;
let children: ChildProcess[];

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'millwright-stop-'));
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(stateDir, { recursive: true });
});

function startSleeper(): number {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  children.push(child);
  if (child.pid === undefined) throw new Error('no sleep here');
  return child.pid;
}

const gone = { pid: 1, identity: 'another boot/1' };
const recorded = (name: string, pid: number, identity: string) => ({ name, pid, identity, log: '' });

test('ends the recorded processes of a supervisor that is gone, and forgets the stack', async () => {
  const pid = startSleeper();
  const processes = [recorded('etcd', pid, processIdentity(pid) ?? '')];
  writeSupervisorRecord(stackFiles(stateDir, ''), { supervisor: gone, processes, complete: true });
  expect(await stopStack(stateDir)).toEqual(['etcd']);
  expect(processIdentity(pid)).toBeUndefined();
  expect(readSupervisorRecord(stackFiles(stateDir, ''))).toBeUndefined();
});

test('leaves a stranger alone that was given the pid of a recorded process', async () => {
  const pid = startSleeper();
  const processes = [recorded('etcd', pid, 'this boot/an earlier process')];
  writeSupervisorRecord(stackFiles(stateDir, ''), { supervisor: gone, processes, complete: true });
  expect(await stopStack(stateDir)).toEqual([]);
  expect(processIdentity(pid)).toBeDefined();
});

test('stops nothing where nothing runs', async () => {
  expect(await stopStack(stateDir)).toEqual([]);
});
