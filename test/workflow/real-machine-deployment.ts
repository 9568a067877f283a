import type { MachineDeploymentFacts } from '../world/builders/a-machine-deployment.ts';
import { RolloutWorld } from '../world/rollout-world.ts';
import type { Temporal } from './temporal.ts';
import { changedSignal } from '../../workflows/signals.ts';

/** A deployment whose workflow runs; `rounds` lets everybody do his part, so many times. */
export async function realMachineDeployment(temporal: Temporal, name: string, facts: MachineDeploymentFacts = {}) {
  const world = new RolloutWorld(temporal.clock, { name, ...facts });
  const handle = await temporal.startObject('machineDeployment', world, world.ref);
  /** The world's time passes with Temporal's. */
  const runSets = async (): Promise<void> => {
    let isOver = false;
    const running = world.runSets().finally(() => (isOver = true));
    await temporal.until(() => isOver, { step: 0.1 });
    await running;
  };
  /** The deployment looks, its sets act; what was made comes up, what was deleted goes. */
  const round = async (): Promise<void> => {
    await temporal.signal(handle, changedSignal);
    await temporal.pass(2);
    await runSets();
    world.say('True');
    world.endMachines();
  };
  const rounds = async (isOver: () => boolean, most = 30): Promise<void> => {
    for (let n = 0; n < most && !isOver(); n += 1) await round();
  };
  const tell = async (change: () => void): Promise<void> => {
    change();
    await temporal.signal(handle, changedSignal);
    await temporal.pass(2);
  };
  return { world, handle, round, rounds, tell, runSets };
}
