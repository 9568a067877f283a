import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import { pino } from 'pino';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { KubeClient } from '../../../k8s/client.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { systemClock } from '../../../providers/clock.ts';
import { ObjectSource } from '../../../starters/watcher/object-source.ts';
import { ReportingWatch } from '../../../starters/watcher/reporting-watch.ts';

/** How many machines a namespace has, as a watch tells: a list of hundreds every moment would keep the API server busy. */
export interface FollowedMachines {
  present(): number;
  running(): number;
  stop(): Promise<void>;
}

export function followMachines(config: KubeConfig, kube: KubeClient, namespace: string): FollowedMachines {
  let phases = new Map<string, string>();
  const note = (object: KubernetesObject & Pick<MachineObject, 'status'>) => {
    phases.set(object.metadata?.uid ?? '', object.status?.phase ?? '');
  };
  const source = new ObjectSource({
    watch: new ReportingWatch(config),
    kube,
    resource: MACHINES,
    namespace,
    onObject: note,
    onGone: ({ metadata }) => void phases.delete(metadata?.uid ?? ''),
    onListed: (objects) => {
      phases = new Map();
      for (const object of objects) note(object);
    },
    clock: systemClock,
    log: pino({ level: 'silent' }),
    retryMostMs: 2000,
  });
  source.start();
  return {
    present: () => phases.size,
    running: () => [...phases.values()].filter((phase) => phase === 'Running').length,
    stop: () => source.stop(),
  };
}
