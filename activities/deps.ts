import type { Logger } from 'pino';
import type { KubeClient } from '../k8s/client.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { MachineSettings } from '../workflows/machine/settings.ts';
import type { EventRecorder } from './events.ts';

/** What activities act through. */
export interface ActivityDeps {
  readonly kube: KubeClient;
  readonly providers: ProviderRegistry;
  readonly settings: MachineSettings;
  /** uid of kube-system: which cluster this worker serves. */
  readonly cluster: string;
  /**
   * Clusters whose instances may be adopted, beside those that have a Cluster object in the Machine's namespace:
   * `<namespace>/<id>` for the Machines of one namespace, `<id>` for those of all.
   */
  readonly clusterNames: readonly string[];
  readonly events: EventRecorder;
  readonly log: Logger;
}
