import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../test/workflow/a-pass.ts';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import type { RetryClass } from '../../providers/provider-error.ts';
import { describeEnd, describeLife, summarizeStatus } from './describe-life.ts';
import type { Pass } from './pass.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function passOf(status: Partial<MachineStatus> = {}, now: () => number = () => NOW): Pass {
  return aPass({ machine: { owner: 'workers' }, status, now });
}

describe('what the Temporal UI shows of a machine', () => {
  it('says step, reason, since when, the words of the error and the next try', () => {
    const pass = passOf();
    pass.set({ phase: 'Provisioning' });
    pass.wait({
      step: 'Launch',
      reason: 'SecretMissing',
      message: 'Secret default/late does not exist',
      until: NOW + 60_000,
    });
    const text = describeLife(pass, { at: NOW + 60_000, why: 'x' });
    expect(text).toContain('**Provisioning**, waits in step **Launch**: SecretMissing');
    expect(text).toContain('- **Waits for:** Secret default/late does not exist');
    expect(text).toContain('- **Since:** 2026-01-01 12:00:00 UTC');
    expect(text).toContain('- **Last error:** SecretMissing, as said above');
    expect(text).toContain('- **Next try:** 2026-01-01 12:01:00 UTC, or when something changes');
    expect(text).toContain('- **Instance:** none yet');
    expect(text).toContain('**What to do:** Create the Secret');
  });

  it('says of a MachineClass that is being deleted what to do about the class', () => {
    const pass = passOf();
    pass.wait({ step: 'Launch', reason: 'MachineClassDeleting', message: 'class default/small is being deleted' });
    const text = describeLife(pass, { at: NOW + 60_000, why: 'x' });
    expect(text).toContain('- **Last error:** MachineClassDeleting, as said above');
    expect(text).toContain('**What to do:** Name another MachineClass in the spec.');
  });

  it.each<[RetryClass, string]>([
    ['exhausted', 'Have the quota raised'],
    ['denied', 'Mend the credentials'],
    ['throttled', 'Nothing: it is tried again, ever more slowly'],
    ['invalid', 'Correct what is named'],
    ['soon', 'Nothing at first'],
  ])("says of a cloud's own code, by its class %s, what to do: %s", (retryClass, toDo) => {
    const since = '2026-01-01T11:00:00.000Z';
    const pass = passOf({ waiting: { step: 'Launch', reason: 'ACodeOfTheCloud', retryClass, message: 'no', since } });
    const text = describeLife(pass, { why: 'x' });
    expect(text).toContain(`**What to do:** ${toDo}`);
    expect(text).toContain('- **Last error:** ACodeOfTheCloud, as said above');
  });

  it('does not call an error what is as it should be', () => {
    const pass = passOf();
    pass.wait({ step: 'LifecycleHooks', reason: 'HookPresent', message: 'waits for the hook of etcd' });
    expect(describeLife(pass, { why: 'x' })).toContain('- **Last error:** none');
  });

  it('says that only a change helps where there is no next try', () => {
    const pass = passOf();
    pass.wait({ step: 'Launch', reason: 'InvalidConfiguration', message: 'no such zone' });
    expect(describeLife(pass, { why: 'no such zone' })).toContain('- **Next try:** when something changes\n');
  });

  it('names the failure, the instance and the Node', () => {
    const pass = passOf();
    pass.set({ instance: { id: 'i-1', state: 'running' }, nodeRef: { name: 'n-1', uid: 'u' } });
    pass.fail('JoinClusterTimeoutError', 'no Node joined');
    const text = describeLife(pass, { why: 'no Node joined' });
    expect(text).toContain('**Failed**: JoinClusterTimeoutError');
    expect(text).toContain('- **Last error:** JoinClusterTimeoutError: no Node joined');
    expect(text).toContain('- **Instance:** `i-1` (running)');
    expect(text).toContain('- **Node:** `n-1`');
    expect(text).toContain('**What to do:** Read the instance');
  });

  it('names an error that was not overcome while it waits for something else', () => {
    const pass = passOf();
    pass.set({ phase: 'Running' });
    pass.setCondition({ type: 'NodeReady', status: 'False', reason: 'NodeNotReady', message: 'the disk is full' });
    const text = describeLife(pass, { at: NOW + 3_600_000, why: 'a slow look' });
    expect(text).toContain('- **Waits for:** nothing');
    expect(text).toContain('- **Last error:** NodeNotReady: the disk is full');
    expect(text).toContain('**What to do:** Look at the Node');
    expect(text).toContain('- **Next try:** when something changes, at the latest 2026-01-01 13:00:00 UTC');
  });

  it('is new until it has a phase, and its next step comes at once', () => {
    const text = describeLife(passOf(), 'again');
    expect(text).toContain('**New**\n');
    expect(text).toContain('- **Waits for:** its next step');
    expect(text).toContain('- **Next try:** at once');
    expect(text).not.toContain('- **Since:**');
  });

  it('that has failed waits for its deletion alone', () => {
    const pass = passOf();
    pass.fail('CreateError', 'no');
    expect(describeLife(pass, { why: 'no' })).toContain('- **Waits for:** its deletion: nothing else acts on it');
  });

  it('an error that was overcome is no headline', () => {
    const error = { reason: 'CreateError', message: 'no' } as const;
    const pass = passOf({ phase: 'Running', error });
    expect(describeLife(pass, { why: 'x' })).toContain('**Running**\n');
    expect(summarizeStatus(pass.status)).toBe('Running');
  });

  const [READY_AT, UPDATED_AT] = ['2026-01-01T09:00:00.000Z', '2026-01-01T08:00:00.000Z'];
  const conditions: MachineStatus['conditions'] = [
    { type: 'Paused', status: 'False', reason: 'NotPaused', message: '', lastTransitionTime: UPDATED_AT },
    { type: 'NodeReady', status: 'True', reason: 'NodeReady', message: '', lastTransitionTime: READY_AT },
  ];
  const waiting = { step: 'Drain', reason: 'PodsBlocked', message: 'no', since: '2026-01-01T10:00:00.000Z' } as const;

  it.each<[string, Partial<MachineStatus>, string]>([
    ['it waits, where it does', { phase: 'Running', waiting, conditions, updatedAt: UPDATED_AT }, '10:00:00'],
    ['its Node is Ready, where it runs', { phase: 'Running', conditions, updatedAt: UPDATED_AT }, '09:00:00'],
    ['it has its phase, otherwise', { phase: 'Deleting', conditions, updatedAt: UPDATED_AT }, '08:00:00'],
  ])('is as it is since %s', (_when, status, time) => {
    expect(describeLife(passOf(status), { why: 'x' })).toContain(`- **Since:** 2026-01-01 ${time} UTC`);
  });

  it('of no set leads to no set', () => {
    const text = describeLife(aPass({ now: () => NOW }), 'again');
    expect(text).not.toContain('the machines of its set');
    expect(text).not.toContain('undefined');
  });

  it('leads to the machines of its set and of its cluster', () => {
    const text = describeLife(passOf(), 'again');
    expect(text).toContain(`workflows?query=${encodeURIComponent('MachineOwner = "workers"')}`);
    expect(text).toContain(`workflows?query=${encodeURIComponent('MachineCluster = "')}`);
  });

  it('takes the words of a cloud for words, whatever stands in them', () => {
    const pass = passOf();
    pass.wait({ step: 'Launch', reason: 'Unknown', message: '<img src=x> **bold**\n# [link](http://x) `code`' });
    expect(describeLife(pass, { why: 'x' })).toContain(
      String.raw`**Waits for:** \<img src=x\> \*\*bold\*\* \# \[link\](http://x) \`code\``,
    );
  });

  it('tells of the end what became of the instance', () => {
    const pass = passOf();
    pass.set({ instance: { id: 'i-1', state: 'terminated' } });
    expect(describeLife(pass, 'end')).toContain('**Gone**: Machine default/m was deleted, step by step. Its instance');
    expect(describeEnd(pass.ref, undefined)).toContain('It had no instance.');
  });
});

describe('a status in one line', () => {
  it('names phase, step and reason', () => {
    const pass = passOf();
    pass.set({ phase: 'Provisioning' });
    expect(summarizeStatus(pass.status)).toBe('Provisioning');
    pass.wait({ step: 'Launch', reason: 'Throttled', message: 'slow down' });
    expect(summarizeStatus(pass.status)).toBe('Provisioning, waits in Launch: Throttled');
    pass.fail('CreateError', 'no');
    expect(summarizeStatus(pass.status)).toBe('Failed: CreateError');
  });
});

describe('since when a machine waits', () => {
  it('stays while step and reason stay, whatever the message', () => {
    let now = NOW;
    const pass = passOf({}, () => now);
    pass.wait({ step: 'Launch', reason: 'Throttled', message: 'first' });
    now += 5000;
    pass.wait({ step: 'Launch', reason: 'Throttled', message: 'second' });
    expect(pass.status.waiting).toMatchObject({ message: 'second', since: '2026-01-01T12:00:00.000Z' });
    pass.wait({ step: 'Launch', reason: 'Unavailable', message: 'third' });
    expect(pass.status.waiting?.since).toBe('2026-01-01T12:00:05.000Z');
  });

  it('stays over a try that comes to the same end', () => {
    const since = '2026-01-01T11:00:00.000Z';
    const pass = passOf({ waiting: { step: 'Launch', reason: 'SecretMissing', message: 'none', since } });
    pass.wait(undefined);
    pass.wait({ step: 'Launch', reason: 'SecretMissing', message: 'still none' });
    expect(pass.status.waiting).toMatchObject({ message: 'still none', since });
  });
});
