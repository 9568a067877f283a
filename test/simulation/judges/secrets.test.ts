import vm from 'node:vm';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../process/logging.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { CREDENTIALS, putSecret, QUOTING, USER_DATA } from '../cluster/marked-secrets.ts';
import type { Run } from '../temporal/run.ts';
import { SecretsJudge, type GivenAway } from './secrets.ts';

const IDENTITY = {
  workflowId: 'machine/default/m/uid',
  runId: 'r',
  workflowType: 'machine',
  taskQueue: 'q',
  firstRunId: 'r',
};
const encoder = new TextEncoder();
const base64 = (text: string) => Buffer.from(text).toString('base64');

let accused: string[];
let universe: GivenAway;
let judge: SecretsJudge;
beforeEach(() => {
  accused = [];
  universe = { api: new ApiServer(), onLogLine: () => {} };
  judge = new SecretsJudge(universe, (message) => void accused.push(message));
});

function historyWith(data: string | Uint8Array): Pick<Run, 'identity' | 'history'> {
  const input = [{ data: typeof data === 'string' ? encoder.encode(data) : data }];
  return { identity: IDENTITY, history: [{ type: 'signaled', signalName: 's', input, id: 1, at: 0 }] };
}

describe('the judge of secrets', () => {
  it.each([
    ['of user-data', 'no instance: join --token canary-of-the-simulation-user-data'],
    ['of a key', 'no instance: AKIA-canary-of-the-simulation-id'],
    ['of user-data in base64', base64('#!/bin/sh\njoin --token canary-of-the-simulation-user-data --now\n')],
    ['of a token in base64, one byte in', base64('"canary-of-the-simulation-bearer')],
    ['of a key in base64, two bytes in', base64('k=canary-of-the-simulation-key')],
    ['of all that the cloud quotes', QUOTING],
  ])('accuses a line of a log %s', (_, text) => {
    const log = createLogger('worker', 'debug', { write: (line) => universe.onLogLine('worker-1', line) });
    log.debug({ failure: { message: text } }, 'launch was not answered with an instance');
    expect(accused).toEqual([expect.stringContaining('a line of the log of worker-1 has')]);
  });

  it('accuses an object whose status or annotation has one in it, as soon as it is written', () => {
    const status = { errorMessage: 'refused: canary-of-the-simulation-key' };
    universe.api.put({ ...aMachine({ name: 'm-1', status }) });
    expect(accused).toEqual([expect.stringContaining('Machine m-1 has a secret in it: canary-of-the-simulation-key')]);
  });

  it('accuses a history with one in a payload', () => {
    judge.ofHistory(historyWith('{"userData":"canary-of-the-simulation-user-data"}'));
    expect(accused).toEqual([expect.stringContaining('the history of machine/default/m/uid has')]);
  });

  it('accuses a history with one in a payload that workflow code made', () => {
    const bytes = [...encoder.encode('{"userData":"canary-of-the-simulation-user-data"}')];
    const data = vm.runInNewContext('new Uint8Array(bytes)', { bytes }) as Uint8Array;
    judge.ofHistory(historyWith(data));
    expect(accused).toEqual([expect.stringContaining('the history of machine/default/m/uid has')]);
  });

  it('leaves Secrets alone, and all that has nothing of them', () => {
    for (const secret of [USER_DATA, CREDENTIALS]) putSecret(universe.api, secret);
    universe.api.put({ ...aMachine({ value: { userDataSecret: { name: 'user-data' } } }) });
    universe.onLogLine('watcher-1', '{"msg":"Secret default/credentials has no key aws_secret_access_key"}');
    judge.ofHistory(historyWith('{"version":{"name":"user-data","uid":"u","resourceVersion":"1"}}'));
    expect(accused).toEqual([]);
    expect(judge.looks).toBe(3);
  });
});
