import { describe, expect, it } from '@jest/globals';
import { MachineWorld } from '../../test/workflow/machine-world.ts';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import { describeLife, summarizeStatus } from './describe-life.ts';
import { Life, newMemory } from './life.ts';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function lifeOf(status: Partial<MachineStatus> = {}, now: () => number = () => NOW): Life {
  const { object, ref } = new MachineWorld('m', async () => NOW);
  if (object === undefined) throw new Error('a new world has a machine');
  const machine = { ...object, owner: 'workers', status: { ...object.status, ...status } };
  const seen = { found: true as const, machine, settings: DEFAULT_MACHINE_SETTINGS };
  return new Life({ ref, cluster: 'c' }, newMemory(), seen, now);
}

describe('what the Temporal UI shows of a machine', () => {
  it('says step, reason, since when, the words of the error and the next try', () => {
    const life = lifeOf();
    life.set({ phase: 'Provisioning' });
    life.wait('Launch', 'SecretMissing', 'Secret default/late does not exist', NOW + 60_000);
    const text = describeLife(life, { at: NOW + 60_000, why: 'x' });
    expect(text).toContain('**Provisioning**, waits in step **Launch**: SecretMissing');
    expect(text).toContain('- **Waits for:** Secret default/late does not exist');
    expect(text).toContain('- **Since:** 2026-01-01 12:00:00 UTC');
    expect(text).toContain('- **Last error:** SecretMissing, as said above');
    expect(text).toContain('- **Next try:** 2026-01-01 12:01:00 UTC, or when something changes');
    expect(text).toContain('- **Instance:** none yet');
    expect(text).toContain('**What to do:** Create the Secret');
  });

  it('says that only a change helps where there is no next try', () => {
    const life = lifeOf();
    life.wait('Launch', 'InvalidConfiguration', 'no such zone');
    expect(describeLife(life, { why: 'no such zone' })).toContain('- **Next try:** when something changes\n');
  });

  it('names the failure, the instance and the Node', () => {
    const life = lifeOf();
    life.set({ instance: { id: 'i-1', state: 'running' }, nodeRef: { name: 'n-1', uid: 'u' } });
    life.fail('JoinClusterTimeoutError', 'no Node joined');
    const text = describeLife(life, { why: 'no Node joined' });
    expect(text).toContain('**Failed**: JoinClusterTimeoutError');
    expect(text).toContain('- **Last error:** JoinClusterTimeoutError: no Node joined');
    expect(text).toContain('- **Instance:** `i-1` (running)');
    expect(text).toContain('- **Node:** `n-1`');
    expect(text).toContain('**What to do:** Read the instance');
  });

  it('names an error that was not overcome while it waits for something else', () => {
    const life = lifeOf();
    life.set({ phase: 'Running' });
    life.setCondition({ type: 'NodeReady', status: 'False', reason: 'NodeNotReady', message: 'the disk is full' });
    const text = describeLife(life, { at: NOW + 3_600_000, why: 'a slow look' });
    expect(text).toContain('- **Waits for:** nothing');
    expect(text).toContain('- **Last error:** NodeNotReady: the disk is full');
    expect(text).toContain('- **Next try:** when something changes, at the latest 2026-01-01 13:00:00 UTC');
  });

  it('leads to the machines of its set and of its cluster', () => {
    const text = describeLife(lifeOf(), 'again');
    expect(text).toContain(`workflows?query=${encodeURIComponent('MachineOwner = "workers"')}`);
    expect(text).toContain(`workflows?query=${encodeURIComponent('MachineCluster = "')}`);
  });

  it('takes the words of a cloud for words, whatever stands in them', () => {
    const life = lifeOf();
    life.wait('Launch', 'Unknown', '<img src=x> **bold**\n# [link](http://x) `code`');
    expect(describeLife(life, { why: 'x' })).toContain(
      String.raw`**Waits for:** \<img src=x\> \*\*bold\*\* \# \[link\](http://x) \`code\``,
    );
  });

  it('shows what it can of a status that lacks what is in every status by now', () => {
    const life = lifeOf({ waiting: { step: 'Launch' } as NonNullable<MachineStatus['waiting']> });
    expect(describeLife(life, { why: 'x' })).toContain('waits in step **Launch**');
  });

  it('tells of the end what became of the instance', () => {
    const life = lifeOf();
    life.set({ instance: { id: 'i-1', state: 'terminated' } });
    expect(describeLife(life, 'end')).toContain('**Gone**: Machine default/m was deleted, step by step. Its instance');
  });
});

describe('a status in one line', () => {
  it('names phase, step and reason', () => {
    const life = lifeOf();
    life.set({ phase: 'Provisioning' });
    expect(summarizeStatus(life.status)).toBe('Provisioning');
    life.wait('Launch', 'Throttled', 'slow down');
    expect(summarizeStatus(life.status)).toBe('Provisioning, waits in Launch: Throttled');
    life.fail('CreateError', 'no');
    expect(summarizeStatus(life.status)).toBe('Failed: CreateError');
  });
});

describe('since when a machine waits', () => {
  it('stays while step and reason stay, whatever the message', () => {
    let now = NOW;
    const life = lifeOf({}, () => now);
    life.wait('Launch', 'Throttled', 'first');
    now += 5000;
    life.wait('Launch', 'Throttled', 'second');
    expect(life.status.waiting).toMatchObject({ message: 'second', since: '2026-01-01T12:00:00.000Z' });
    life.wait('Launch', 'Unavailable', 'third');
    expect(life.status.waiting?.since).toBe('2026-01-01T12:00:05.000Z');
  });

  it('stays over a try that comes to the same end', () => {
    const since = '2026-01-01T11:00:00.000Z';
    const life = lifeOf({ waiting: { step: 'Launch', reason: 'SecretMissing', message: 'none', since } });
    life.proceed();
    life.wait('Launch', 'SecretMissing', 'still none');
    expect(life.status.waiting).toMatchObject({ message: 'still none', since });
  });
});
