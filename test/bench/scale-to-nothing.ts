import { refOf } from '../../k8s/dialects/kind.ts';
import { MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import { until } from '../integration/until.ts';
import { countHistory, ofEach } from './history.ts';
import { followMachines } from './machine-times.ts';
import { startMeter, type Reading } from './meter.ts';
import { mean, round } from './numbers.ts';
import { NAMESPACE, SET, type Bench } from './open-bench.ts';
import { untilAtRest } from './until-at-rest.ts';

export interface WayDown {
  /** When the set was scaled, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** From then until the last Machine object was gone. */
  readonly seconds: number;
  readonly reading: Reading;
  /** Of this phase only, per machine. */
  readonly historyEvents: number;
  readonly workflowTasks: number;
}

/** Takes a MachineSet that is up, and at rest, back to nothing. */
export async function scaleToNothing(bench: Bench): Promise<WayDown> {
  const { machines, stack, config, kube, temporal, patience } = bench;
  const ids = (await untilAtRest(bench)).map((machine) => workflowIdOf(refOf(machine)));
  const histories = () => ofEach(ids, (id) => countHistory(temporal, id));
  const before = await histories();
  const times = await followMachines(config, NAMESPACE);
  const meter = startMeter(stack);
  await kube.mergePatch(MACHINE_SETS, NAMESPACE, SET, { spec: { replicas: 0 } });
  await until(
    'all are gone',
    async () => times.gone.size,
    (gone) => gone >= machines,
    patience,
  );
  const { startedAt } = meter;
  const seconds = (Math.max(...times.gone.values()) - startedAt) / 1000;
  times.stop();
  const reading = await meter.read();
  const after = await histories();
  return {
    startedAt,
    seconds,
    reading,
    historyEvents: round(mean(after.map(({ events }) => events)) - mean(before.map(({ events }) => events))),
    workflowTasks: round(mean(after.map(({ tasks }) => tasks)) - mean(before.map(({ tasks }) => tasks))),
  };
}
