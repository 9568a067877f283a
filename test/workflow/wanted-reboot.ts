import { REMEDIATED_BY_ANNOTATION, writeHealthClaim } from '../../k8s/model/health-claim.ts';
import type { Node } from '../../k8s/model/node.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../k8s/model/reboot.ts';
import { NODES, PODS } from '../../k8s/resources.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { refOf } from '../world/builders/metadata.ts';
import type { MachineWorld } from '../world/machine-world.ts';
import { busyMachine, nodeOf, type Fleet } from './drained-machine.ts';
import type { Temporal } from './temporal.ts';

/** A check that reboots a sick or silent machine. */
export const CHECK = {
  selector: { matchExpressions: [{ key: 'machine.openshift.io/cluster-api-cluster', operator: 'Exists' }] },
  unhealthyConditions: [
    { type: 'Ready', status: 'Unknown', timeout: '60s' },
    { type: 'Sick', status: 'True', timeout: '60s' },
  ],
  remediation: { steps: [{ action: 'Reboot' }] },
} as const satisfies Partial<MachineHealthCheckSpec>;
export const SICK = 'node Sick=True 60000';
export const SILENT = 'node Ready=Unknown 60000';

export const node = (world: MachineWorld) => world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node;
export const isCordoned = (world: MachineWorld) => node(world).spec?.unschedulable ?? false;
export const podsOf = (world: MachineWorld) => world.kube.all(PODS).map(({ metadata }) => metadata.name);
export const reboots = (world: MachineWorld) => world.cloud.calls('reboot');
export const record = (world: MachineWorld) => world.status.reboot;
export const annotationsOf = (world: MachineWorld) => world.object?.metadata.annotations ?? {};

/** What the Node's kubelet says: its boot, and whether it is sick. */
export async function say(
  world: MachineWorld,
  { bootID, sick = 'False', ready = 'True' }: { bootID: string; sick?: string; ready?: string },
) {
  const lastTransitionTime = new Date(world.clock.timeOfDay()).toISOString();
  const conditions = [
    { type: 'Ready', status: ready, lastTransitionTime },
    { type: 'Sick', status: sick, lastTransitionTime },
  ];
  const status = { conditions, nodeInfo: { bootID } };
  await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { status }, { subresource: 'status' });
}

export interface Told extends Fleet {
  readonly sick?: boolean;
  readonly spec?: Partial<MachineHealthCheckSpec>;
  readonly arrange?: (world: MachineWorld) => void | Promise<void>;
}

/** A machine that its health check wants rebooted. */
export async function wantedReboot(
  temporal: Temporal,
  name: string,
  { sick = true, spec, arrange, ...fleet }: Told = {},
) {
  const { world, handle } = await busyMachine(temporal, name, fleet);
  const check = aMachineHealthCheck(`check-of-${name}`, { ...CHECK, ...spec });
  world.kube.put(check);
  await say(world, { bootID: 'boot-1', sick: sick ? 'True' : 'False', ready: sick ? 'True' : 'Unknown' });
  await arrange?.(world);
  const tell = async (change: () => unknown): Promise<void> => {
    await change();
    await temporal.signal(handle, changedSignal);
  };
  const want = (id = new Date(world.clock.timeOfDay()).toISOString(), causes = [sick ? SICK : SILENT]) =>
    tell(() =>
      world.edit({
        metadata: {
          annotations: {
            [REMEDIATED_BY_ANNOTATION]: writeHealthClaim(refOf(check)),
            [REBOOT_ANNOTATION]: writeRebootWish({ id, causes }),
          },
        },
      }),
    );
  const release = () =>
    tell(() =>
      world.edit({ metadata: { annotations: { [REMEDIATED_BY_ANNOTATION]: null, [REBOOT_ANNOTATION]: null } } }),
    );
  await want();
  return { world, handle, tell, want, release, check };
}
