import { describe, expect, it } from '@jest/globals';
import type { MachineSetStatus } from '../../k8s/model/machine-set.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import type { Survey } from './describe-set.ts';
import { reportOf } from './set-status.ts';
import type { Refusals } from './refusals.ts';
import { given } from '../../providers/given.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const COUNTS = { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 3, labelSelector: 'a=b' };
const REFUSED = { message: 'denied', failures: 1, until: NOW, machines: [{ name: 'm-1', uid: 'u' }] };

function surveyOf(
  status: Partial<MachineSetStatus> = {},
  changes: Partial<Survey> & { contested?: string } = {},
): Survey {
  const { contested, ...rest } = changes;
  const plan = { create: 0, unseen: [], remove: [], adopt: [], release: [], counts: COUNTS, held: 0 };
  return {
    found: true,
    generation: 1,
    deleting: false,
    paused: false,
    replicas: 3,
    plan: { ...plan, ...given({ contested }) },
    status,
    settings: DEFAULT_MACHINE_SETTINGS,
    ...rest,
  };
}

/** The report, which there must be, and what is stored once it was written. */
function reported(survey: Survey, refusals: Refusals = {}) {
  const report = reportOf(survey, refusals, NOW);
  if (report === undefined) throw new Error('there is nothing to say');
  return { ...report, types: report.status.conditions.map((c) => c.type), reasons: report.events.map((e) => e.reason) };
}

describe('the status of a set', () => {
  it('is not written where it says so already, in whatever order', () => {
    const { status } = reported(surveyOf({}, { contested: 'm-9' }), { delete: REFUSED });
    const stored = { ...status, conditions: status.conditions.toReversed() };
    expect(reportOf(surveyOf(stored, { contested: 'm-9' }), { delete: REFUSED }, NOW)).toBeUndefined();
  });

  it('does not answer to its spec while a Machine that it may not have any more may still be made', () => {
    const { status } = reported(surveyOf({ observedGeneration: 4 }, { generation: 5 }));
    expect(status.observedGeneration).toBe(5);
    const unsettled = (stored: Partial<MachineSetStatus>) =>
      reportOf(surveyOf(stored, { generation: 5 }), {}, NOW, false)?.status.observedGeneration;
    expect([unsettled({ observedGeneration: 4 }), unsettled({})]).toEqual([4, 0]);
  });

  it.each<[string, (status: MachineSetStatus) => Partial<MachineSetStatus>]>([
    ['replicas', () => ({ replicas: 2 })],
    ['fully labelled', () => ({ fullyLabeledReplicas: 2 })],
    ['ready', () => ({ readyReplicas: 2 })],
    ['available', () => ({ availableReplicas: 2 })],
    ['generation', () => ({ observedGeneration: 0 })],
    ['selector', () => ({ labelSelector: 'a=c' })],
    ['error', () => ({ error: { reason: 'CreateError', message: 'denied before' } })],
    ['condition’s reason', ({ conditions }) => ({ conditions: conditions.map((c) => ({ ...c, reason: 'Before' })) })],
    ['condition’s message', ({ conditions }) => ({ conditions: conditions.map((c) => ({ ...c, message: 'before' })) })],
    ['condition’s status', ({ conditions }) => ({ conditions: conditions.map((c) => ({ ...c, status: 'Unknown' })) })],
  ])('is written where its %s is another', (_what, change) => {
    const { status } = reported(surveyOf());
    expect(reportOf(surveyOf({ ...status, ...change(status) }), {}, NOW)?.status).toEqual({
      ...status,
      conditions: [expect.objectContaining({ type: 'MachinesCreated', status: 'True' })],
    });
  });

  it('says since when it is so', () => {
    const { status } = reported(surveyOf(), { delete: REFUSED });
    const later = reportOf(surveyOf(status, { generation: 2 }), { delete: REFUSED }, NOW + 60_000);
    const since = new Date(NOW).toISOString();
    expect(later?.status.conditions.map((c) => c.lastTransitionTime)).toEqual([since, since]);
  });

  it('tells of a Machine that another controller has, by a condition and an event, once', () => {
    const first = reported(surveyOf({}, { contested: 'm-9' }));
    expect(first).toMatchObject({ types: ['MachinesCreated', 'SelectorConflict'], reasons: ['SelectorOverlap'] });
    expect(first.status.conditions[1]?.message).toContain('m-9');
    expect(reported(surveyOf(first.status, { contested: 'm-8' })).reasons).toEqual([]);
    expect(reported(surveyOf(first.status)).types).toEqual(['MachinesCreated']);
  });

  it('tells of a pause without an event, once', () => {
    const { status, types, reasons } = reported(surveyOf({}, { paused: true }));
    expect([types, reasons]).toEqual([['Paused'], []]);
    expect(status.conditions[0]?.message).toContain(`annotation ${PAUSED_ANNOTATION} is set`);
    expect(reportOf(surveyOf(status, { paused: true }), {}, NOW)).toBeUndefined();
  });

  it('tells which Cluster it is paused by', () => {
    const { status } = reported(surveyOf({}, { paused: true, pausedBy: 'Cluster default/c' }));
    expect(status.conditions[0]?.message).toContain('Cluster default/c is paused');
  });

  it('tells each refusal by a condition and an event, once, and takes the condition away when it is over', () => {
    const refusals = { adopt: REFUSED, release: REFUSED, delete: REFUSED, create: REFUSED };
    const first = reported(surveyOf(), refusals);
    expect(first.types).toEqual(['MachinesAdopted', 'MachinesCreated', 'MachinesDeleted', 'MachinesReleased']);
    expect(first.reasons.toSorted()).toEqual(['FailedAdopt', 'FailedCreate', 'FailedDelete', 'FailedRelease']);
    expect(first.status.error).toEqual({ reason: 'CreateError', message: 'cannot create m-1: denied' });
    const more = { ...refusals, delete: { ...REFUSED, message: 'denied otherwise' } };
    const second = reported(surveyOf(first.status), more);
    expect(second.reasons).toEqual([]);
    const over = reported(surveyOf(second.status));
    expect(over).toMatchObject({ types: ['MachinesCreated'], reasons: [] });
    expect(over.status.error).toBeUndefined();
    expect(over.status.conditions[0]).toMatchObject({ status: 'True' });
  });

  it('tells of a refusal beside one that was told before; only that of a creation is an error', () => {
    const first = reported(surveyOf(), { delete: REFUSED });
    expect(first.status.error).toBeUndefined();
    expect(reported(surveyOf(first.status), { delete: REFUSED, adopt: REFUSED }).reasons).toEqual(['FailedAdopt']);
  });

  it('tells of what was refused again after it had been done', () => {
    const first = reported(surveyOf(), { create: REFUSED });
    const over = reported(surveyOf(first.status));
    expect(reported(surveyOf(over.status), { create: REFUSED }).reasons).toEqual(['FailedCreate']);
  });

  it('keeps what was refused before a pause', () => {
    const first = reported(surveyOf(), { delete: REFUSED });
    const paused = reported(surveyOf(first.status, { paused: true }), { delete: REFUSED });
    expect(paused).toMatchObject({ types: ['MachinesCreated', 'MachinesDeleted', 'Paused'], reasons: [] });
    expect(reported(surveyOf(paused.status), { delete: REFUSED }).reasons).toEqual([]);
    const contested = reported(surveyOf({}, { contested: 'm-9' }));
    expect(reported(surveyOf(contested.status, { paused: true })).types).toEqual(['MachinesCreated', 'Paused']);
  });
});
