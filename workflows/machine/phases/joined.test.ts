import { describe, expect, it } from '@jest/globals';
import { aPass, type PassFacts } from '../../../test/workflow/a-pass.ts';
import { preparedLaunch } from '../../../test/workflow/prepared-launch.ts';
import { DONE } from '../answer.ts';
import { joined } from './joined.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';
import { given } from '../../../providers/given.ts';

describe('a Node that does not join', () => {
  let temporal: Temporal;
  useTemporal((started) => (temporal = started));

  it('fails the Machine after the creation timeout, and keeps the instance', async () => {
    const world = new MachineWorld('late', temporal.clock);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 10 });
    expect(world.status.error?.reason).toBe('JoinClusterTimeoutError');
    // It counts from when the call was asked for, which reaches the cloud a moment later.
    expect((await temporal.now()) - Date.parse(world.launches[0]?.at ?? '')).toBeGreaterThanOrEqual(1_199_000);
    await temporal.pass(3600);
    expect(world.cloud.calls('terminate')).toEqual([]);
  });

  it('has as long as the Machine itself says', async () => {
    const world = new MachineWorld('hurried', temporal.clock);
    await world.edit({ spec: { creationTimeoutSeconds: 30 } });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.error?.reason === 'JoinClusterTimeoutError', { within: 40 });
  });

  it('is given the whole time even where capacity was waited for longer than that', async () => {
    const world = new MachineWorld('patient', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'InsufficientInstanceCapacity', times: 6 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 3600, step: 10 });
    await temporal.pass(1000);
    expect(world.status.phase).toBe('Provisioned');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
  });
});

describe('a machine with an instance', () => {
  const MINUTE_MS = 60_000;
  const instance = { id: 'i-1', state: 'running' } as const;
  const providerID = 'p:///z/i-1';
  const nodeRef = { name: 'node-1', uid: 'uid-1' };
  const launch = preparedLaunch(1, MINUTE_MS);
  const passAt = (nowMs: number, facts: PassFacts = {}) => {
    const status = { instance, ...facts.status };
    const pass = aPass({ ...facts, now: () => nowMs, machine: { providerID, creationTimeoutSeconds: 60 }, status });
    pass.nodeAnswer = { outcome: 'none' };
    return pass;
  };
  const wait = (reason: string, message: string, until?: number) => ({
    outcome: 'wait',
    meanwhile: true,
    wait: { step: 'JoinCluster', reason, message, ...given({ until }) },
  });

  it('has its Node, or is linked with it by and by', () => {
    const pass = passAt(0, { status: { nodeRef } });
    pass.nodeAnswer = undefined;
    expect(joined(pass)).toBe(DONE);
  });

  it('waits without an end for a Node that was deleted, in the words of its condition', () => {
    const pass = passAt(100 * MINUTE_MS, { status: { nodeRef } });
    expect(joined(pass)).toEqual(wait('NodeMissing', ''));
    pass.setCondition({ type: 'NodeReady', status: 'Unknown', reason: 'NodeMissing', message: 'it was deleted' });
    expect(joined(pass)).toEqual(wait('NodeMissing', 'it was deleted'));
  });

  it('waits for its Node until the time that is known, from its launch on, or from now on', () => {
    const message = `instance i-1 was created; its Node ${providerID} has not joined yet`;
    const known = passAt(0, { memory: { joined: { by: 7 } }, status: { launch } });
    expect(joined(known)).toEqual(wait('NodeNotJoined', message, 7));
    const frozen = passAt(MINUTE_MS, { status: { launch } });
    expect(joined(frozen)).toEqual(wait('NodeNotJoined', message, 2 * MINUTE_MS));
    expect(frozen.memory.joined.by).toBe(2 * MINUTE_MS);
    expect(joined(passAt(5 * MINUTE_MS))).toEqual(wait('NodeNotJoined', message, 6 * MINUTE_MS));
  });

  it('tells why it cannot tell its Node, and fails in its time all the same', () => {
    const facts = { memory: { joined: { by: 7 } } };
    const pass = passAt(6, facts);
    pass.nodeAnswer = { outcome: 'ambiguous', message: 'two Nodes have its address' };
    expect(joined(pass)).toMatchObject({
      wait: {
        reason: 'NodeAmbiguous',
        message: expect.stringMatching(/has not joined yet: two Nodes have its address$/),
      },
    });
    const late = passAt(7, facts);
    late.nodeAnswer = pass.nodeAnswer;
    expect(joined(late)).toEqual({
      outcome: 'failed',
      reason: 'JoinClusterTimeoutError',
      message: expect.stringMatching(
        /^no Node joined within 60 s of the launch of instance i-1: two Nodes .* is kept;/,
      ),
    });
  });
});
