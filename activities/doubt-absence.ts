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

/** Doubts the view of the cloud where it shows too few of the instances that these credentials should show. */
export function createDoubtAbsence(deps: MachineDeps): DoubtAbsence {
  const doubtAt = onePerPlace((place) => coalesce(deps.clock, () => compareWithMachines(place), GATHER_MS));
  return (place) => doubtAt(place)('absence');

  async function compareWithMachines(place: Place): Promise<string | undefined> {
    const expected = await instancesOnRecord(deps, place);
    // With so few no view is doubted, whatever the cloud shows of them.
    if (!isViewDoubted(expected.length, expected.length)) return undefined;
    let shown = 0;
    for await (const instances of describeInBatches(place, expected)) {
      shown += instances.length;
      // So many are shown by now that the view is not doubted, even if all the others are absent.
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
    // Its spec names no known provider: its instance, if it has one, is not in this place.
    return false;
  }
}
