import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { WorkflowRuntime } from '../../simulation/core/workflow-runtime.ts';
import { getStack } from '../stack.ts';
import { Comparer, describeDifference, isSame, type Comparison } from './compare.ts';
import { randomProgram } from './random-program.ts';
import { writeScriptBundle } from './script-bundle.ts';
import { shrinkProgram } from './shrink-program.ts';
import { realSide, type Side } from './sides.ts';

/**
 * What is played to the simulated and to the real Temporal. `MILLWRIGHT_TEMPORAL_PROGRAMS=night:500` plays 500 other programs, whose
 * seeds begin with `night`.
 */
const [FROM = '', COUNT = ''] = (process.env['MILLWRIGHT_TEMPORAL_PROGRAMS'] ?? 'fixed:48').split(':');
/** Programs under way at the same time. */
const SIDE_BY_SIDE = 24;
/** A difference that comes from a busy machine does not come each time. */
const TIMES = 3;

let real: Side & { stop(): Promise<void> };
let comparer: Comparer;
const connections: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  // What fails is meant to.
  const logging = { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } as const;
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging } });
  const { temporal, stateDir } = getStack();
  const { address, namespace } = temporal;
  const codePath = join(stateDir, 'script.bundle.js');
  await writeScriptBundle(codePath);
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  connections.push(connection, native);
  real = await realSide({ connection, native, namespace, codePath });
  comparer = new Comparer(real, await WorkflowRuntime.create({ codePath }));
}, 60_000);

afterAll(async () => {
  await real?.stop();
  for (const connection of connections) await connection.close();
}, 60_000);

it(
  'a client and a workflow see the same of the simulated Temporal and of the real one',
  async () => {
    const seeds = Array.from({ length: Number(COUNT) }, (_none, index) => `${FROM}-${index + 1}`);
    const differing: Comparison[] = [];
    const playOn = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const comparison = await comparer.compare(randomProgram(seed));
        if (!isSame(comparison)) differing.push(comparison);
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, playOn));
    const told: string[] = [];
    for (const { program } of differing) {
      const again = await compareOften(program);
      if (isSame(again)) continue;
      // The search for a shorter one takes its time.
      console.log(describeDifference(again));
      told.push(describeDifference(await shrinkProgram(again, compareOften)));
    }
    expect(told.join('\n\n')).toBe('');
  },
  // Each difference is looked into, which takes its time; without one it is done in a fraction of this.
  20 * 60_000,
);

/** Plays it again by itself; the first time that the two are the same counts. */
async function compareOften(program: Comparison['program']): Promise<Comparison> {
  let last = await comparer.compare(program);
  for (let times = 1; times < TIMES && !isSame(last); times += 1) last = await comparer.compare(program);
  return last;
}
