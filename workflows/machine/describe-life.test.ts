import { describe, expect, it } from '@jest/globals';
import { MachineWorld } from '../../test/workflow/machine-world.ts';
import { describeLife } from './describe-life.ts';
import { Life, newMemory } from './life.ts';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function lifeOf(): Life {
  const { object: machine, ref } = new MachineWorld('m', async () => NOW);
  if (machine === undefined) throw new Error('a new world has a machine');
  const seen = { found: true as const, machine, settings: DEFAULT_MACHINE_SETTINGS };
  return new Life({ ref, cluster: 'c' }, newMemory(), seen, () => NOW);
}

describe('what the Temporal UI shows of a machine', () => {
  it('says step, reason, since when, the words of the error and the next try', () => {
    const life = lifeOf();
    life.set({ phase: 'Provisioning' });
    life.wait('Launch', 'InsufficientInstanceCapacity', 'no capacity for small in zone-a', NOW + 60_000);
    const text = describeLife(life, { at: NOW + 60_000, why: 'x' });
    expect(text).toContain('**Provisioning**');
    expect(text).toContain('**Launch** since 2026-01-01T12:00:00.000Z: InsufficientInstanceCapacity');
    expect(text).toContain('no capacity for small in zone-a');
    expect(text).toContain('Next try: 2026-01-01T12:01:00.000Z');
  });

  it('says that only a change helps where there is no next try', () => {
    const life = lifeOf();
    life.wait('Launch', 'InvalidConfiguration', 'no such zone');
    expect(describeLife(life, { why: 'no such zone' })).toContain('Goes on when something changes.');
  });

  it('names the failure, the instance and the Node', () => {
    const life = lifeOf();
    life.set({ instance: { id: 'i-1', state: 'running' }, nodeRef: { name: 'n-1', uid: 'u' } });
    life.fail('JoinClusterTimeoutError', 'no Node joined');
    const text = describeLife(life, { why: 'no Node joined' });
    expect(text).toContain('Failed: JoinClusterTimeoutError: no Node joined');
    expect(text).toContain('Instance `i-1` (running)');
    expect(text).toContain('Node `n-1`');
  });
});

describe('since when a machine waits', () => {
  it('stays while step and reason stay, whatever the message', () => {
    let now = NOW;
    const { object: machine, ref } = new MachineWorld('m', async () => now);
    if (machine === undefined) throw new Error('a new world has a machine');
    const seen = { found: true as const, machine, settings: DEFAULT_MACHINE_SETTINGS };
    const life = new Life({ ref, cluster: 'c' }, newMemory(), seen, () => now);
    life.wait('Launch', 'Throttled', 'first');
    now += 5000;
    life.wait('Launch', 'Throttled', 'second');
    expect(life.status.waiting).toMatchObject({ message: 'second', since: '2026-01-01T12:00:00.000Z' });
    life.wait('Launch', 'Unavailable', 'third');
    expect(life.status.waiting?.since).toBe('2026-01-01T12:00:05.000Z');
  });
});
