import type { Outage } from '../../../workflows/machine-health-check/health-activities.ts';
import { apiServerAwaySignal } from '../../../workflows/safety/messages.ts';
import type { People } from '../people/people.ts';
import type { Universe } from '../universe.ts';
import { IllAtDeadlineJudge } from './ill-at-deadline.ts';
import { InFlightJudge } from './in-flight.ts';
import { fromPayloadsAtIndex, defaultPayloadConverter } from '@temporalio/common';
import { NodeHistory } from './node-history.ts';
import { OutageHoldsJudge, type ToldOutage } from './outage-holds.ts';
import { Remediations, type Remediation } from './remediations.ts';
import { RebootJudge } from './reboots.ts';
import { StormHoldsJudge } from './storm-holds.ts';
import { TooManyHoldsJudge } from './too-many-holds.ts';
import { ZoneHoldsJudge } from './zone-holds.ts';

/** The call by which a worker asks when the API server was away. */
const ASKS_FOR_OUTAGES = 'temporal queryWorkflow';

interface RemediationJudge {
  see(remediation: Remediation): void;
}

/** What health checks may not do. */
export function judgeHealth(
  universe: Universe,
  people: () => People | undefined,
  accuse: (judge: string, message: string) => void,
): { readonly remediations: Remediations; readonly reboots: RebootJudge } {
  const { api, agenda, cloud, temporal } = universe;
  const now = () => agenda.now;
  const nodes = new NodeHistory(api, now);
  const judges: RemediationJudge[] = [];
  const brakes: RemediationJudge[] = [];
  const remediations = new Remediations({
    api,
    now,
    onRemediation: (remediation) => {
      const { machine } = remediation;
      people()?.deleted.add(machine.metadata.uid);
      universe.story.tell('check', `deletes Machine ${machine.metadata.name}`);
      for (const judge of [...judges, ...brakes]) judge.see(remediation);
    },
    onRebootAsked: (remediation) => {
      universe.story.tell('check', `wants Machine ${remediation.machine.metadata.name} rebooted`);
      for (const judge of brakes) judge.see(remediation);
    },
  });
  const runs = (uid: string): boolean =>
    cloud
      .living()
      .some(({ id, machineUid, state }) => machineUid === uid && state === 'running' && !cloud.touched.has(id));
  const remembersSince = (check: string): number => {
    const run = temporal.newestOf(check);
    return (run && temporal.runs.get(run.identity.firstRunId)?.history[0]?.at) ?? agenda.now;
  };
  const options = { api, now, nodes, remediations };
  judges.push(
    new IllAtDeadlineJudge({ ...options, accuse: (message) => accuse('ill at its deadline', message) }),
    new InFlightJudge({ ...options, remembersSince, accuse: (message) => accuse('in flight', message) }),
  );
  brakes.push(
    new StormHoldsJudge({ ...options, runs, accuse: (message) => accuse('a storm holds', message) }),
    new ZoneHoldsJudge({ ...options, runs, accuse: (message) => accuse('a lost zone holds', message) }),
    new TooManyHoldsJudge({ ...options, accuse: (message) => accuse('too many hold', message) }),
    new OutageHoldsJudge({
      told: () => toldOutages(universe),
      isHeardSince: (time) =>
        (universe.adversary.metAt.get(ASKS_FOR_OUTAGES) ?? -Infinity) < time && universe.queryUnansweredAt < time,
      clocksAgree: () => universe.processes().every(({ clock }) => clock.timeOfDay() === agenda.now),
      accuse: (message) => accuse('an outage holds', message),
    }),
  );
  const reboots = new RebootJudge({
    api,
    now,
    checks: remediations.checks,
    remembersSince,
    living: () => cloud.living(),
    accuse,
  });
  return { remediations, reboots };
}

/** By the histories of the safety workflow; of a run that somebody ended nobody knows any more. */
function toldOutages({ temporal }: Universe): readonly ToldOutage[] {
  return [...temporal.runs.values()]
    .filter(({ identity, status }) => identity.workflowType === 'safety' && status !== 'TERMINATED')
    .flatMap(({ history }) => [...history])
    .flatMap((event) => {
      if (event.type !== 'signaled' || event.signalName !== apiServerAwaySignal.name) return [];
      return [{ at: event.at, outage: fromPayloadsAtIndex<Outage>(defaultPayloadConverter, 0, [...event.input]) }];
    })
    .sort((a, b) => a.at - b.at);
}
