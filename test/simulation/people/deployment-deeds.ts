import { ROLLED_FOR_ANNOTATION, DRAIN_ANNOTATION, type StoredDeployment } from '../../../k8s/model/deployment.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { StoredPod } from '../../../k8s/model/pod.ts';
import { DEPLOYMENTS, DISRUPTION_BUDGETS, NODES, PODS } from '../../../k8s/resources.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { BUDGETS, DEPLOYED } from '../cluster/workload-kinds.ts';
import { isToGo } from '../judges/wishes.ts';
import type { People } from './people.ts';

/** The one that drains may roll, and that has no other way to go. */
const SURGED = 'shop';
/** The share of runs in which somebody, or some tool, undoes most rolls; and of the rolls in those runs, and in others. */
const UNDOING = 0.4;
const UNDONE = { undoing: 0.8, else: 0.1 } as const;
/** How long that takes, in milliseconds: the means. A tool sees it at once, a person when the new pod is there already. */
const UNDONE_AFTER_MS = [200, 3000, 15_000] as const;

/** What people do to Deployments. */
export const DEPLOYMENT_DEEDS = {
  /** A rollout of their own. */
  'edit deployment': toSome(async (people, app) => {
    people.tell(`edits Deployment ${app}`);
    const labels = { edited: String(people.nextNumber()) };
    await people.patch(DEPLOYMENTS, app, { spec: { template: { metadata: { labels } } } });
  }),
  /** The Machine goes on whose Node its pod is that has no other way to go. */
  'drain surged': async (people: People): Promise<void> => {
    const { random, universe } = people;
    const nodes = universe.api
      .all<StoredPod & KubeObject>(PODS)
      .filter(({ metadata }) => metadata.labels?.['app'] === SURGED)
      .map(({ spec }) => spec?.nodeName);
    const machine = random.pick(people.machines().filter(({ status }) => nodes.includes(status?.nodeRef?.name)));
    if (machine === undefined || isToGo(machine)) return;
    const { name } = machine.metadata;
    if (random.chance(0.5)) return people.deleteMachine(name);
    people.tell(`asks that Machine ${name} be deleted, on which ${SURGED} runs`);
    await people.patch(MACHINES, name, { spec: { delete: true } });
  },
  'edit consent': toSome(async (people, app) => {
    const asked = people.random.pick(['surge', 'surge=2', 'always', null]);
    people.tell(`asks of drains, at Deployment ${app}: ${asked ?? 'nothing'}`);
    await ask(people, app, asked ?? null);
  }),
} satisfies Record<string, (people: People) => Promise<void> | void>;

/** Some time after a Deployment was rolled somebody puts its template back, or all of it. */
export function undoRolls(people: People): void {
  const { random, universe } = people;
  const share = random.chance(UNDOING) ? UNDONE.undoing : UNDONE.else;
  universe.api.store.onChange(({ resource, object, previous }) => {
    if (resource !== DEPLOYMENTS || previous === undefined) return;
    const deployment = object as unknown as StoredDeployment;
    const rolled = rolledFor(deployment);
    if (rolled === undefined || rolled === rolledFor(previous as unknown as StoredDeployment)) return;
    if (!random.chance(share)) return;
    const isWhole = random.chance(0.2);
    people.later(random.around(random.pick(UNDONE_AFTER_MS) ?? 0), () =>
      undo(people, deployment.metadata.name, isWhole),
    );
  });
}

/** Nothing keeps pods any more but the budget of the Deployment that drains may roll, where that gets its pod away. */
export async function relaxBudgets(people: People): Promise<void> {
  for (const { app, deployment } of DEPLOYED) await ask(people, app, deployment.asked ?? null);
  const kept = isMovable(people) ? [SURGED] : [];
  for (const app of BUDGETS) {
    await people.patch(DISRUPTION_BUDGETS, app, { spec: { minAvailable: kept.includes(app) ? 1 : 0 } });
  }
}

/** A roll gets its pod away: nobody undid one, had a pod come back to a Node that was drained, or took all other Nodes away. */
function isMovable(people: People): boolean {
  const { universe, undone, uncordoned, cordoned } = people;
  const closed = new Set(
    universe.api.all(NODES).flatMap(({ metadata: { uid, name } }) => (cordoned.has(uid) ? [name] : [])),
  );
  const isOpen = people
    .machines()
    .some(
      (machine) =>
        !isToGo(machine) &&
        machine.spec.maintenance !== true &&
        machine.status?.phase !== 'Failed' &&
        !closed.has(machine.status?.nodeRef?.name ?? ''),
    );
  return isOpen && undone.size === 0 && uncordoned.size === 0;
}

async function undo(people: People, app: string, isWhole: boolean): Promise<void> {
  people.tell(`puts ${isWhole ? 'Deployment' : 'the template of Deployment'} ${app} back`);
  people.undone.add(app);
  const annotations = { [ROLLED_FOR_ANNOTATION]: null };
  const metadata = isWhole ? { metadata: { annotations } } : {};
  await people.patch(DEPLOYMENTS, app, { ...metadata, spec: { template: { metadata: { annotations } } } });
}

async function ask(people: People, app: string, asked: string | null): Promise<void> {
  await people.patch(DEPLOYMENTS, app, { metadata: { annotations: { [DRAIN_ANNOTATION]: asked } } });
}

function rolledFor({ spec }: StoredDeployment): string | undefined {
  return spec?.template?.metadata?.annotations?.[ROLLED_FOR_ANNOTATION];
}

function toSome(deed: (people: People, app: string) => Promise<void>) {
  return async (people: People): Promise<void> => {
    const { app } = people.random.pick(DEPLOYED) ?? {};
    if (app !== undefined) await deed(people, app);
  };
}
