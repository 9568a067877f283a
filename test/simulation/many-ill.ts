/**
 * Plays what happens to hundreds of machines at once, which random runs do not reach, with the judges of all runs:
 *
 *   npm run simulate:many-ill -- [--machines 500] [--seed S] [falsely] [paced] [rewritten]
 */
import { parseArgs } from 'node:util';
import type { MachineHealthCheckObject } from '../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import { NODES } from '../../k8s/resources.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { NAMESPACE } from '../world/builders/metadata.ts';
import { CALM } from './adversary/disturbances.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { Judges } from './judges/judges.ts';
import { leftToDo } from './judges/left-to-do.ts';
import { People } from './people/people.ts';
import { Random } from './time/random.ts';
import { Universe } from './universe.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** How long a Node may be bad, in milliseconds. */
const TIMEOUT_MS = 5 * MINUTE;
/** What a script writes again and again. */
const SICK = 'KernelDeadlock';

const { values, positionals } = parseArgs({
  options: { machines: { type: 'string', default: '500' }, seed: { type: 'string', default: 'many' } },
  allowPositionals: true,
});

/** A cluster whose machines are all up, and a health check of all of them. */
class ManyMachines {
  readonly universe: Universe;
  readonly judges: Judges;
  readonly first: ReadonlySet<string>;
  readonly #problems: string[];

  private constructor(universe: Universe, judges: Judges, problems: string[]) {
    this.universe = universe;
    this.judges = judges;
    this.#problems = problems;
    this.first = new Set(this.machines().map(({ metadata }) => metadata.uid));
  }

  static async start(seed: string, count: number, spec: Partial<MachineHealthCheckSpec>): Promise<ManyMachines> {
    const problems: string[] = [];
    const universe = await Universe.create({
      seed,
      weather: CALM,
      assumptions: ASSUMPTIONS,
      cloud: 'tokens',
      workers: 1,
      watchers: 1,
      longHistory: 4096,
      hasCredentials: false,
      allows: () => true,
      onBroken: ({ workflowId }, { message }) => problems.push(`${workflowId}: ${message}`),
    });
    let people: People | undefined;
    const judges = new Judges(universe, () => people);
    people = new People(universe, { deeds: {}, perMinute: 0, mostReplicas: count }, new Random(`${seed} people`));
    await people.createSet('set-1', count);
    const {
      apiVersion,
      kind,
      spec: written,
    } = aMachineHealthCheck('set-1', {
      selector: { matchLabels: { set: 'set-1' } },
      unhealthyConditions: [
        { type: 'Ready', status: 'False', timeout: '5m' },
        { type: 'Ready', status: 'Unknown', timeout: '5m' },
        { type: SICK, status: 'True', timeout: '5m' },
      ],
      nodeStartupTimeout: '10m',
      maxUnhealthy: '100%',
      remediation: { maxInFlight: Math.ceil(count / 5) },
      ...spec,
    });
    const metadata = { name: 'set-1', namespace: NAMESPACE };
    await people.others.create(MACHINE_HEALTH_CHECKS, NAMESPACE, { apiVersion, kind, metadata, spec: written });
    const { agenda } = universe;
    const isUp = () =>
      universe.api.all<Node>(NODES).filter(isReady).length === count && leftToDo(universe).length === 0;
    const last = agenda.now + 60 * MINUTE;
    while (agenda.now < last && !isUp()) await agenda.runUntil(agenda.now + 10 * SECOND);
    if (!isUp()) throw new Error(`not all machines came up: ${leftToDo(universe).slice(0, 3).join('; ')}`);
    return new ManyMachines(universe, judges, problems);
  }

  get now(): number {
    return this.universe.agenda.now;
  }

  get check(): MachineHealthCheckObject {
    const [check] = this.universe.api.all<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS);
    if (check === undefined) throw new Error('there is no health check');
    return check;
  }

  machines(): readonly MachineObject[] {
    return this.universe.api.all<MachineObject>(MACHINES);
  }

  providerIDs(): readonly string[] {
    return this.machines().flatMap(({ spec }) => spec.providerID ?? []);
  }

  /** Names of those that were there from the beginning and are not any more, or are on their way. */
  replaced(): readonly string[] {
    const there = new Set(
      this.machines().flatMap(({ metadata: { uid, deletionTimestamp } }) =>
        deletionTimestamp === undefined ? [uid] : [],
      ),
    );
    return [...this.first].filter((uid) => !there.has(uid));
  }

  /** Instances that there are beside those that the first machines had. */
  launched(known: ReadonlySet<string>): number {
    return this.universe.cloud.living().filter(({ id }) => !known.has(id)).length;
  }

  async pass(ms: number): Promise<void> {
    await this.universe.agenda.runUntil(this.now + ms);
  }

  /** What the judges of all runs say, and what is left to do. */
  end(): string[] {
    const accused = this.judges.violations.map(({ judge, message }) => `${judge}: ${message}`);
    const left = leftToDo(this.universe).slice(0, 5);
    this.universe.end();
    return [...this.#problems, ...accused, ...left];
  }
}

type Story = (count: number) => Promise<string[]>;

const expect = (wrong: string[], what: string, seen: unknown, wanted: unknown): void => {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  if (a === b) console.log(`  ${what}: ${a}`);
  else wrong.push(`${what}: ${a}, and not ${b}`);
};

const STORIES: Readonly<Record<string, Story>> = {
  /** Nine of ten seem to be gone, and three are. */
  async falsely(count) {
    const many = await ManyMachines.start(values.seed, count, {});
    const { universe, first } = many;
    const known = new Set(universe.cloud.living().map(({ id }) => id));
    const all = universe.cloud.living();
    const dead = all.slice(0, 3);
    const silent = all.slice(3, 3 + Math.floor(count * 0.894));
    silent.forEach(({ providerID }, at) =>
      universe.agenda.after((at * 10 * SECOND) / silent.length, () => universe.kubelets.hang(providerID, 30 * MINUTE)),
    );
    for (const { id } of dead) universe.agenda.after(5 * SECOND, () => universe.cloud.byHand('terminate', id));
    await many.pass(28 * MINUTE);
    const wrong: string[] = [];
    const deadUids = dead.map(({ machineUid = '' }) => machineUid);
    expect(
      wrong,
      'replaced while they are silent, of the dead ones',
      many.replaced().filter((uid) => deadUids.includes(uid)).length,
      3,
    );
    expect(wrong, 'replaced while they are silent', many.replaced().length, 3);
    const storm = many.check.status?.conditions?.find(({ type }) => type === 'StormSuspected');
    expect(wrong, 'the storm is told', storm?.status, 'True');
    console.log(`  ${storm?.message}`);
    await many.pass(60 * MINUTE);
    expect(wrong, 'replaced when they are back', many.replaced().length, 3);
    expect(wrong, 'instances that were launched', many.launched(known), 3);
    expect(wrong, 'machines', many.machines().length, first.size);
    expect(wrong, 'healthy', many.check.status?.currentHealthy, count);
    return [...wrong, ...many.end()];
  },

  /** Some break at the same time, and few may be remediated at once. */
  async paced(count) {
    const many = await ManyMachines.start(values.seed, count, { remediation: { maxInFlight: 5 } });
    const { universe } = many;
    const known = new Set(universe.cloud.living().map(({ id }) => id));
    const broken = universe.cloud.living().slice(0, 20);
    for (const { providerID } of broken) universe.kubelets.hang(providerID, Infinity);
    const brokenUids = new Set(broken.map(({ machineUid }) => machineUid));
    let most = 0;
    const last = many.now + 120 * MINUTE;
    while (many.now < last && (many.check.status?.currentHealthy !== count || many.replaced().length < 20)) {
      await many.pass(SECOND);
      const nodes = new Map(universe.api.all<Node>(NODES).map((node) => [node.metadata.uid, node]));
      const deleting = many.machines().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      const joining = many.machines().filter(({ metadata, status }) => {
        const node = nodes.get(status?.nodeRef?.uid ?? '');
        return (
          metadata.deletionTimestamp === undefined &&
          (node === undefined || !isReady(node)) &&
          !brokenUids.has(metadata.uid)
        );
      });
      // A new machine is there while the old one goes: both are one remediation.
      most = Math.max(most, deleting.length, joining.length);
    }
    const wrong: string[] = [];
    expect(wrong, 'replaced', many.replaced().length, 20);
    expect(wrong, 'of those that broke', many.replaced().filter((uid) => brokenUids.has(uid)).length, 20);
    if (most > 5) wrong.push(`${most} machines were missed at once`);
    else console.log(`  missed at once, at most: ${most}`);
    expect(wrong, 'instances that were launched', many.launched(known), 20);
    return [...wrong, ...many.end()];
  },

  /** A script says again and again that what is bad has just begun, and why. */
  async rewritten(count) {
    const many = await ManyMachines.start(values.seed, count, {});
    const { universe } = many;
    const [machine] = many.machines();
    const name = machine?.status?.nodeRef?.name ?? '';
    const uid = universe.api.peek(NODES, undefined, name)?.metadata.uid;
    const began = many.now;
    let times = 0;
    const write = (): void => {
      const node = universe.api.peek(NODES, undefined, name) as Node | undefined;
      if (node === undefined || node.metadata.uid !== uid) return;
      times += 1;
      const others = (node.status?.conditions ?? []).filter(({ type }) => type !== SICK);
      const lastTransitionTime = new Date(many.now).toISOString();
      const sick = { type: SICK, status: 'True', reason: `Try${times}`, lastTransitionTime };
      universe.api.put({ ...node, status: { ...node.status, conditions: [...others, sick] } } as never);
      universe.agenda.after(30 * SECOND, write);
    };
    write();
    while (many.replaced().length === 0 && many.now < began + 60 * MINUTE) await many.pass(SECOND);
    const late = many.now - began - TIMEOUT_MS;
    const wrong: string[] = [];
    expect(wrong, 'replaced', many.replaced(), [machine?.metadata.uid]);
    if (late < 0 || late > 10 * SECOND) wrong.push(`it was asked to go ${late / SECOND} s after its time`);
    else console.log(`  asked to go ${late / SECOND} s after its time, and written ${times} times`);
    await many.pass(10 * MINUTE);
    return [...wrong, ...many.end()];
  },
};

let failures = 0;
for (const [name, story] of Object.entries(STORIES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const startedAt = performance.now();
  console.log(name);
  const wrong = await story(Number(values.machines));
  for (const message of wrong) console.log(`  FAILED ${message}`);
  console.log(
    `  ${wrong.length === 0 ? 'held' : 'failed'}, in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  failures += wrong.length;
}
process.exit(failures > 0 ? 1 : 0);
