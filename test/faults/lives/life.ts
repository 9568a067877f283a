import type { FaultCloud } from '../fault-cloud.ts';
import type { Verdict } from '../judge.ts';

/** A Machine as the fault tests see it. */
export interface SeenMachine {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: {
    readonly phase?: string;
    readonly delete?: boolean;
    readonly waiting?: { readonly message?: string };
    readonly nodeRef?: { readonly name: string };
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly providerStatus?: {
      readonly instanceId?: string;
      readonly instanceState?: string;
      readonly launch?: { readonly parameters: { readonly loadBalancers?: readonly unknown[] } };
    };
  };
}

/** Where a life is played. */
export interface Place {
  /** The namespace; of the cluster as well. */
  readonly name: string;
  readonly cloud: FaultCloud;
  /** The Machines, as they are now. */
  readonly look: () => Promise<readonly SeenMachine[]>;
}

/** What is asked of machines in a case, from their creation to their end. */
export interface Life {
  /** How many machines there are. */
  readonly machines: number;
  /** It mostly waits for times to go by: more of its cases may be under way. @default false */
  readonly isSlow?: true;
  /** Asks for them. */
  begin(place: Place): Promise<void>;
  /** When they run: has things happen to them, and asks for their end. Answers what was wrong. */
  end(place: Place, machines: readonly SeenMachine[]): Promise<Verdict>;
}

/** Of every wait in a case. */
export const PATIENCE = { timeoutMs: 120_000, everyMs: 250 };

/** What the API server has of each machine. */
export const labelsOf = (cluster: string): Readonly<Record<string, string>> => ({
  'machine.openshift.io/cluster-api-cluster': cluster,
});

/** What each machine is made of. */
export function machineSpec({ cloud }: Pick<Place, 'cloud'>): object {
  return {
    metadata: { labels: { 'node-role.kubernetes.io/worker': '' } },
    providerSpec: { value: cloud.providerSpec },
  };
}
