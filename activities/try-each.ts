import { isNotFound, KubeError } from '../k8s/kube-error.ts';
import type { Chosen } from '../workflows/machine-set/plan-replicas.ts';
import type { Refused } from '../workflows/machine-set/refusals.ts';

/** What came of requests on several Machines. */
export interface Tries<M> {
  readonly done: number;
  /** Those that are gone, or not what they were: to be looked at again. */
  readonly changed: number;
  /** Those on which the API server did not do it: by a rule, a webhook, or because it could not. */
  readonly refused: ReadonlyMap<M, KubeError>;
}

/** Acts on all of them at once; what fails for one stops none of the others. */
export async function tryEach<M>(
  machines: readonly M[],
  act: (machine: M) => Promise<'done' | 'changed'>,
): Promise<Tries<M>> {
  const refused = new Map<M, KubeError>();
  const counts = { done: 0, changed: 0 };
  await Promise.all(
    machines.map(async (machine) => {
      try {
        counts[await act(machine)] += 1;
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        if (isNotFound(error)) counts.changed += 1;
        else refused.set(machine, error);
      }
    }),
  );
  return { ...counts, refused };
}

/** As the workflow is told of them; undefined where there are none. */
export function refusedOf(refused: ReadonlyMap<Chosen, KubeError>): Refused | undefined {
  const [first] = refused.values();
  if (first === undefined) return undefined;
  const machines = [...refused.keys()].map(({ name, uid }) => ({ name, uid }));
  return { machines, message: `${first.reason}: ${first.message}` };
}
