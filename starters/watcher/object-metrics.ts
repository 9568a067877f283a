import { Gauge, type Registry } from 'prom-client';
import type { Role } from '../../k8s/dialects/kind.ts';
import { isOfKind, type ApiRegistry } from '../../k8s/dialects/registry.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { NODES } from '../../k8s/resources.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { ObjectIndex } from './object-index.ts';

/** Always shown, so that none of them is missing where no machine is in it. */
const PHASES = ['Provisioning', 'Provisioned', 'Running', 'Deleting', 'Failed'] as const;

/** What these are counted by has names of its own. */
const COUNTED_APART: ReadonlySet<Role> = new Set(['machine', 'machineSet']);

/**
 * What there is, read from the watcher's index at each scrape: no request goes anywhere. Names and labels are those of the
 * Machine API's operator where they mean the same; the others begin with `millwright_`.
 */
export function addObjectMetrics(registry: Registry, index: ObjectIndex, apis: ApiRegistry): void {
  addMachines(registry, index);
  addMachinesTogether(registry, index);
  addMachineSets(registry, index);
  addRollouts(registry, index);
  addHealthChecks(registry, index);
  addOtherObjects(registry, index, apis);
}

function addOtherObjects(registry: Registry, index: ObjectIndex, apis: ApiRegistry): void {
  const kinds = apis.all().filter(({ role }) => !COUNTED_APART.has(role));
  gauge(registry, 'millwright_objects', 'Objects of other kinds that the watcher knows.', ['kind'], (set) => {
    const counts = new Map<string, number>([[NODES.kind, index.nodes.size]]);
    for (const { role, resource } of kinds) {
      const ofKind = [...index.ofRole[role].values()].filter(({ ref }) => isOfKind(ref, resource));
      counts.set(resource.kind, (counts.get(resource.kind) ?? 0) + ofKind.length);
    }
    for (const [kind, count] of counts) set({ kind }, count);
  });
}

function addMachines(registry: Registry, index: ObjectIndex): void {
  gauge(registry, 'mapi_machine_items', 'Machines at the API server.', [], (set) => set({}, index.machines.size));
  gauge(
    registry,
    'mapi_machine_created_timestamp_seconds',
    'When a Machine was created, in seconds since the epoch, with the phase it is in now.',
    ['name', 'namespace', 'spec_provider_id', 'node', 'api_version', 'phase'],
    (set) => {
      for (const { ref, createdAt, providerID, nodeName = '', phase = '' } of index.machines.values()) {
        const { name, namespace, apiVersion } = ref;
        set(
          { name, namespace, spec_provider_id: providerID, node: nodeName, api_version: apiVersion, phase },
          createdAt / 1000,
        );
      }
    },
  );
  gauge(
    registry,
    'millwright_machine_without_node',
    '1 for a Machine with an instance that is not being deleted and whose Node is not there (any more).',
    ['name', 'namespace', 'phase'],
    (set) => {
      for (const machine of index.machines.values()) {
        if (!isWithoutNode(machine, index)) continue;
        set({ name: machine.ref.name, namespace: machine.ref.namespace, phase: machine.phase ?? '' }, 1);
      }
    },
  );
}

function isWithoutNode({ phase, hasInstance, nodeName }: MachineFacts, index: ObjectIndex): boolean {
  if (!hasInstance || phase === 'Deleting') return false;
  return nodeName === undefined || index.node(nodeName) === undefined;
}

function addMachinesTogether(registry: Registry, index: ObjectIndex): void {
  gauge(registry, 'millwright_machines', 'Machines by phase; without one: not taken up yet.', ['phase'], (set) => {
    const counts = new Map<string, number>(PHASES.map((phase) => [phase, 0]));
    for (const { phase = '' } of index.machines.values()) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    for (const [phase, count] of counts) set({ phase }, count);
  });
  gauge(
    registry,
    'millwright_machines_waiting',
    'Machines that wait for something, by the step they are at and the reason: see `millwright machine explain`.',
    ['step', 'reason'],
    (set) => {
      const counts = new Map<string, { readonly step: string; readonly reason: string; count: number }>();
      for (const { waiting } of index.machines.values()) {
        if (waiting === undefined) continue;
        const key = `${waiting.step}/${waiting.reason}`;
        const counted = counts.get(key) ?? { ...waiting, count: 0 };
        counted.count += 1;
        counts.set(key, counted);
      }
      for (const { step, reason, count } of counts.values()) set({ step, reason }, count);
    },
  );
}

/** Objects of two APIs may have one name. */
const LABELS = ['name', 'namespace', 'api_version'];

function addMachineSets(registry: Registry, index: ObjectIndex): void {
  const sets = index.machineSets;
  gauge(registry, 'mapi_machineset_items', 'MachineSets at the API server.', [], (set) => set({}, sets.size));
  gauge(
    registry,
    'mapi_machineset_created_timestamp_seconds',
    'When a MachineSet was created, in seconds since the epoch.',
    ['name', 'namespace', 'api_version'],
    (set) => {
      for (const { ref, createdAt } of sets.values()) {
        set({ name: ref.name, namespace: ref.namespace, api_version: ref.apiVersion }, createdAt / 1000);
      }
    },
  );
  const replicas = [
    ['millwright_machine_set_spec_replicas', 'wanted', 'Machines that a MachineSet wants.'],
    ['mapi_machine_set_status_replicas', 'total', 'Machines that a MachineSet has.'],
    ['mapi_machine_set_status_replicas_ready', 'ready', 'Machines of a MachineSet whose Node is ready.'],
    [
      'mapi_machine_set_status_replicas_available',
      'available',
      'Machines of a MachineSet that have been ready for its minReadySeconds.',
    ],
  ] as const;
  for (const [name, which, help] of replicas) {
    gauge(registry, name, help, ['name', 'namespace'], (set) => {
      for (const facts of sets.values()) {
        set({ name: facts.ref.name, namespace: facts.ref.namespace }, facts.replicas[which]);
      }
    });
  }
}

function addRollouts(registry: Registry, index: ObjectIndex): void {
  gauge(
    registry,
    'millwright_machinedeployment_rollout_trouble',
    '1 while the rollout of a MachineDeployment has stopped, is refused or waits for capacity: the reason of its condition Progressing.',
    [...LABELS, 'reason'],
    (set) => {
      for (const { ref, rolloutTrouble } of index.machineDeployments.values())
        if (rolloutTrouble !== undefined) set({ ...labelsOf(ref), reason: rolloutTrouble }, 1);
    },
  );
}

function addHealthChecks(registry: Registry, index: ObjectIndex): void {
  gauge(
    registry,
    'mapi_machinehealthcheck_nodes_covered',
    'Machines that a MachineHealthCheck selects.',
    LABELS,
    (set) => {
      for (const { ref, covered } of index.healthChecks.values()) set(labelsOf(ref), covered);
    },
  );
  gauge(
    registry,
    'mapi_machinehealthcheck_short_circuit',
    '1 while a MachineHealthCheck remediates none because too many of its machines are unhealthy.',
    LABELS,
    (set) => {
      for (const { ref, isShortCircuited } of index.healthChecks.values()) set(labelsOf(ref), isShortCircuited ? 1 : 0);
    },
  );
  gauge(
    registry,
    'millwright_machinehealthcheck_storm',
    '1 while a MachineHealthCheck remediates none for a cause that holds many of its machines, or a whole zone.',
    LABELS,
    (set) => {
      for (const { ref, isStormy } of index.healthChecks.values()) set(labelsOf(ref), isStormy ? 1 : 0);
    },
  );
}

function labelsOf({ name, namespace, apiVersion }: ObjectRef): Labels {
  return { name, namespace, api_version: apiVersion };
}

type Labels = Readonly<Record<string, string>>;

/** A gauge whose values are all set anew at each scrape: what is gone leaves no series behind. */
function gauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[],
  collect: (set: (labels: Labels, value: number) => void) => void,
): void {
  const made = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      made.reset();
      collect((labels, value) => made.set(labels, value));
    },
  });
}
