import type { Logger } from 'pino';
import type { KubeClient } from '../k8s/client.ts';
import type { ApiRegistry } from '../k8s/dialects/registry.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Clock } from '../providers/clock.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { MachineSettings } from '../workflows/machine/settings.ts';
import { createSlowPlaces, type SlowPlaces } from './ask-on.ts';
import { createDescribeInstance, type DescribeInstance } from './describe-instance.ts';
import type { EventRecorder } from './events.ts';
import { createFindByMachine, type FindByMachine } from './find-by-machine.ts';
import { GoFirst } from './go-first.ts';
import { MachineReader } from './machine-reader.ts';

/** What activities act through. */
export interface ActivityDeps {
  readonly kube: KubeClient;
  /** Whose objects are driven. */
  readonly apis: ApiRegistry;
  readonly providers: ProviderRegistry;
  readonly settings: MachineSettings;
  /** uid of kube-system: which cluster this worker serves. */
  readonly clusterUid: string;
  /**
   * Clusters whose instances may be adopted, beside those that have a Cluster object in the Machine's namespace:
   * `<namespace>/<id>` for the Machines of one namespace, `<id>` for those of all.
   */
  readonly clusterNames: readonly string[];
  /** Namespace of the Leases by which machines of a control plane go one at a time. */
  readonly leaseNamespace: string;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What reaches the workflows of machines. */
export interface InspectDeps {
  /** Tells a machine's workflow to look at its instance; where none runs, nobody. */
  readonly inspect: (ref: ObjectRef) => Promise<void>;
}

/** What activities act through, with all that those of a worker share from one moment to the next. */
export interface MachineDeps extends ActivityDeps {
  readonly reader: MachineReader;
  /** Launches, but for the calls themselves, which only wait for the cloud. */
  readonly launches: GoFirst;
  readonly findByMachine: FindByMachine;
  readonly describeInstance: DescribeInstance;
  /** One for all activities: a workflow task waits once for a cloud that hangs. */
  readonly slowPlaces: SlowPlaces;
}

/** Once for each worker. */
export function createMachineDeps(deps: ActivityDeps): MachineDeps {
  const { clock } = deps;
  return {
    ...deps,
    reader: new MachineReader(deps),
    launches: new GoFirst(clock),
    findByMachine: createFindByMachine(clock),
    describeInstance: createDescribeInstance(clock),
    slowPlaces: createSlowPlaces(),
  };
}
