/** What the stories of machines begin with, in a world. */

import type { ProviderError } from '../../providers/provider-error.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { MachineWorld } from '../world/machine-world.ts';
import type { CloudRequest } from '../world/world-cloud.ts';
import { diesAfter } from '../world/world.ts';
import type { Temporal } from './temporal.ts';

/** Settings by which silence is followed by a wait that is long enough for something else to come in between. */
export const SLOWLY = { backoff: { ...DEFAULT_MACHINE_SETTINGS.backoff, soon: { first: 600, most: 600 } } };

/** A machine that has its instance. */
export async function provisioned(temporal: Temporal, name: string) {
  const world = new MachineWorld(name, temporal.clock);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

/** A machine that has its Node as well, and was looked at since. */
export async function runningMachine(temporal: Temporal, name: string) {
  const { world, handle } = await provisioned(temporal, name);
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => looks(world).length === 1);
  return { world, handle };
}

/** A machine that runs, and is to go behind the load balancers lb-1 and lb-2. */
export async function balancedMachine(
  temporal: Temporal,
  name: string,
  arrange: (world: MachineWorld) => void | Promise<void> = () => {},
) {
  const world = new MachineWorld(name, temporal.clock);
  await world.setSpec({ loadBalancers: ['lb-1', 'lb-2'] });
  await arrange(world);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.phase === 'Running');
  return { world, handle };
}

/** A machine whose launch nobody told the end of: its worker died. */
export async function silentLaunch(temporal: Temporal, name: string, comesOf: 'instance' | 'nothing') {
  const world = new MachineWorld(name, temporal.clock, { settings: SLOWLY });
  if (comesOf === 'nothing') world.cloud.fail({ action: 'launch', answer: 'reset', times: 1 });
  world.onActivity = diesAfter('launchInstance');
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded', { within: 60 });
  return { world, handle };
}

/**
 * From now on the worker does not send these calls, and says why; others go through.
 * @param isHeld by its number from 1, whether a call is not sent. @default none of them is sent
 * @returns when the worker came to make each of them, sent or not, in milliseconds
 */
export function holdBack(
  { cloud, clock }: MachineWorld,
  action: CloudRequest['action'],
  why: ProviderError,
  isHeld: (nth: number) => boolean = () => true,
): readonly number[] {
  const times: number[] = [];
  cloud.onRequest = async (request, carryOut) => {
    if (request.action === action && isHeld(times.push(clock.timeOfDay()))) throw why;
    return carryOut();
  };
  return times;
}

/** Calls to the cloud that look at an instance by its id. */
export const looks = (world: MachineWorld) => world.cloud.calls('describe').filter(({ instance }) => instance !== null);

/** What the cloud was asked, in which order; what follows its like counts once. */
export function order(world: MachineWorld, ...actions: Parameters<MachineWorld['cloud']['calls']>): string[] {
  const seen = world.cloud.calls(...actions).map(({ action }) => action);
  return seen.filter((action, i) => action !== seen[i - 1]);
}

export const statesOf = (world: MachineWorld) => world.instances.map(({ state }) => state);

export const eventsOf = (world: MachineWorld, reason: string) =>
  world.events.filter((event) => event.reason === reason);
