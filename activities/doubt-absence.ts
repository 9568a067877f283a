import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import { doubtOf, expectedInstanceOf, isViewDoubted } from '../workflows/inventory/doubt.ts';
import { cloudOf } from './cloud-of.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps, MachineDeps } from './deps.ts';
import { describeInBatches } from './describe-instance.ts';
import { onePerPlace, placeKey, type Place } from './place.ts';

/** How long a question waits for others to share its answer with, in milliseconds. */
const GATHER_MS = 200;

/** Why an absence is no fact to act on; undefined: it is one. */
export type DoubtAbsence = (place: Place) => Promise<string | undefined>;

/** Where so much of what some credentials should show is absent that it is the view that is wrong. */
export function createDoubtAbsence(deps: MachineDeps): DoubtAbsence {
  const doubtAt = onePerPlace((place) => coalesce(deps.clock, () => compareWithMachines(place), GATHER_MS));
  return (place) => doubtAt(place)('absence');

  async function compareWithMachines(place: Place): Promise<string | undefined> {
    const expected = await instancesOnRecord(deps, place);
    // Too few for a doubt, whatever the cloud shows of them.
    if (!isViewDoubted(expected.length, expected.length)) return undefined;
    let shown = 0;
    for await (const instances of describeInBatches(place, expected)) {
      shown += instances.length;
      // However many of the others are absent, that is no doubt any more.
      if (!isViewDoubted(expected.length - shown, expected.length)) return undefined;
    }
    return doubtOf(expected.length - shown, expected.length);
  }
}

/** Ids of the instances that Machines have with these credentials and that the cloud should show. */
async function instancesOnRecord(deps: MachineDeps, place: Place): Promise<string[]> {
  const expected = (await deps.reader.all()).flatMap(({ machine, spec }) => {
    const id = expectedInstanceOf(machine);
    return id !== undefined && isServedBy(deps, place, machine, spec) ? [id] : [];
  });
  return [...new Set(expected)];
}

function isServedBy(deps: ActivityDeps, place: Place, machine: Machine, spec: MachineSpec): boolean {
  try {
    return placeKey(cloudOf(deps, machine, spec)) === placeKey(place);
  } catch {
    // A spec that names no provider that is known has no part in this.
    return false;
  }
}
