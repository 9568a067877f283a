import { describe, expect, it } from '@jest/globals';
import { Course, found, iso, MINUTE, notReady, NOW, SET, suspect, withoutSet } from './check-for-tests.ts';
import { describeCheck, whyCheckWaits } from './describe-check.ts';
import type { FoundCheck } from './health-activities.ts';

const REF = { ...SET, kind: 'MachineHealthCheck', name: 'workers-health' };
const long = notReady({ changedAt: NOW - 60 * MINUTE });
const sick = (count: number) => Array.from({ length: count }, (_, at) => suspect(`m-${at}`, { causes: [long] }));
const REFUSED = { failures: 2, message: 'forbidden: no', until: NOW + MINUTE };

function shown(changes: Partial<FoundCheck> = {}, refused?: typeof REFUSED) {
  const seen = found(changes);
  const decision = new Course().look(NOW, seen);
  return { why: whyCheckWaits(seen, decision, refused), details: describeCheck(REF, seen, decision, refused) };
}

describe('what a check waits for', () => {
  it.each<[string, Partial<FoundCheck>, typeof REFUSED | undefined, string]>([
    ['nothing bad', {}, undefined, 'a machine to turn unhealthy'],
    ['a young illness', { suspects: [suspect('m')] }, undefined, 'the next look at 1 machine that is not healthy'],
    ['remediations', { suspects: sick(3) }, undefined, '2 remediations, of at most 2 at a time'],
    ['a storm', { suspects: sick(6) }, undefined, '6 of 10 machines are bad by one cause'],
    ['a pause', { paused: true, suspects: sick(6) }, undefined, 'the pause'],
    ['a refused status', {}, REFUSED, 'forbidden: no'],
  ])('is said of %s', (_words, changes, refused, words) => {
    const { why, details } = shown(changes, refused);
    expect(why).toContain(words);
    expect(details).toContain('**Waits for:**');
  });
});

describe('the details of a check', () => {
  it('name the first machines, and tell what to do', () => {
    const { details } = shown({ expected: 100, suspects: sick(14) });
    expect(details).toContain('**86 of 100** machines healthy, **14 of at most 20** remediations under way');
    expect(details).toContain(
      '**m-0:** Ready of its Node is Unknown (NodeStatusUnknown) since 2026-01-01 11:00:00 UTC',
    );
    expect(details).toContain('- and 4 more');
    expect(details).toContain('`millwright healthcheck explain workers-health -n default`');
  });

  it.each<[string, Partial<FoundCheck>, string]>([
    ['nothing is wrong', {}, 'Nothing: it goes on by itself.'],
    ['it storms', { suspects: sick(6) }, 'millwright healthcheck proceed'],
    ['it is paused', { paused: true }, 'Take off the pause'],
    ['a machine has no controller', { suspects: [withoutSet(sick(1)[0] ?? suspect('m'))] }, 'make another by hand'],
    ['rules are broken', { rulesProblem: '# no YAML' }, 'Mend what the message names'],
  ])('advise where %s', (_words, changes, words) => {
    expect(shown(changes).details).toContain(words);
  });

  it('show what others wrote as it is', () => {
    const words = 'Ready is *False* <b>';
    const { details } = shown({ suspects: [suspect('m', { causes: [{ ...long, words }] })] });
    expect(details).toContain(String.raw`Ready is \*False\* \<b\>`);
  });

  it('tell when the next look is', () => {
    expect(shown().details).toContain('when something changes\n');
    const later = shown({ suspects: [suspect('m', { causes: [], skip: iso(NOW) })] }).details;
    expect(later).toContain('when something changes\n');
    expect(shown({ suspects: sick(1) }).details).toContain('at the latest 2026-01-01 12:00:05 UTC');
  });
});
