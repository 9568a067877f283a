import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { bundledWorkflows } from './bundled-workflows.ts';
import { bundleChanged, replaceOnce } from './changed-workflows.ts';
import { realMachineDeployment } from './real-machine-deployment.ts';
import { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

const { EventType } = proto.temporal.api.enums.v1;

const FILE = 'workflows/machine-deployment/machine-deployment.ts';
const CALL = 'await local.surveyRollout({ ...target, ...turn.heard, ...before });';
const LOOK = `const survey = ${CALL}`;
const IMPORT = "import { setCurrentDetails } from '@temporalio/workflow';";
const BUNDLES_MS = 120_000;
/** Of a test in which a task has to be tried again. */
const SLOW_MS = 60_000;

let temporal: Temporal;
useTemporal(
  (started) => (temporal = started),
  () => Temporal.skippingTime(),
);

/** The sources as they are; with a step more, which runs that began before do not take; and with that step for all. */
let before: { codePath: string };
let patched: { code: string };
let deprecated: { code: string };

beforeAll(async () => {
  before = await bundledWorkflows();
  patched = await bundleChanged(FILE, (source) =>
    looksTwice(source, 'patched', (look) => `if (patched('looks-twice')) ${look}`),
  );
  deprecated = await bundleChanged(FILE, (source) =>
    looksTwice(source, 'deprecatePatch', (look) => `deprecatePatch('looks-twice'); ${look}`),
  );
}, BUNDLES_MS);

/** Each pass of a deployment looks once more, before anything that it does. */
function looksTwice(source: string, imported: string, step: (look: string) => string): string {
  const imports = `import { ${imported}, setCurrentDetails } from '@temporalio/workflow';`;
  return replaceOnce(replaceOnce(source, IMPORT, imports), LOOK, `let survey = ${CALL} ${step(`survey = ${CALL}`)}`);
}

/** A deployment of three machines, of which one is new and two are to follow. */
async function inMidRoll(name: string) {
  const real = await realMachineDeployment(temporal, name);
  const { world, rounds } = real;
  await rounds(() => world.condition('Progressing')?.reason === 'NewReplicaSetAvailable');
  world.release('2');
  await rounds(() => world.versions['2'] === 1);
  expect(world.versions['first']).toBeGreaterThanOrEqual(2);
  const finish = async (): Promise<void> => {
    await rounds(
      () => world.condition('Progressing')?.reason === 'NewReplicaSetAvailable' && world.status.revision === 2,
    );
    expect(world.versions).toEqual({ 2: 3 });
    expect(world.sets).toHaveLength(2);
  };
  return { ...real, finish };
}

/** Why tasks of the workflow failed, and how many patches are in its history. */
async function recordOf(handle: WorkflowHandle) {
  const { events } = await handle.fetchHistory();
  const failures = (events ?? []).flatMap(
    ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
  );
  const isPatch = ({ eventType, markerRecordedEventAttributes: marker }: proto.temporal.api.history.v1.IHistoryEvent) =>
    eventType === EventType.EVENT_TYPE_MARKER_RECORDED && marker?.markerName === 'core_patch';
  return { failures, patches: (events ?? []).filter(isPatch).length };
}

describe('a release that is deployed in the middle of a rollout', () => {
  it('finishes what the release before has begun: a step that changed stands behind patched()', async () => {
    await temporal.release(before);
    const { handle, finish } = await inMidRoll('older');
    expect(await recordOf(handle)).toEqual({ failures: [], patches: 0 });
    await temporal.release(patched);
    await finish();
    const { failures, patches } = await recordOf(handle);
    expect(failures).toEqual([]);
    expect(patches).toBeGreaterThan(0);
  });

  it('does so where the step before is gone, of rollouts that began behind patched()', async () => {
    await temporal.release(patched);
    const { handle, finish } = await inMidRoll('newer');
    await temporal.release(deprecated);
    await finish();
    expect((await recordOf(handle)).failures).toEqual([]);
  });

  it(
    'goes on with what a worker of the release before got back, and failed to replay',
    async () => {
      await temporal.release(patched);
      const { handle, finish, tell } = await inMidRoll('side-by-side');
      await temporal.release(before);
      await tell(() => {});
      let { failures } = await recordOf(handle);
      for (let looks = 0; failures.length === 0 && looks < 30; looks += 1) {
        await temporal.pass(1);
        ({ failures } = await recordOf(handle));
      }
      expect(failures).not.toEqual([]);
      await temporal.release(patched);
      await finish();
    },
    SLOW_MS,
  );

  it('cannot go on where the step is another one for rollouts that began before, too', async () => {
    await temporal.release(before);
    const { world, handle, tell } = await inMidRoll('unpatched');
    await temporal.release(deprecated);
    await tell(() => {});
    expect((await recordOf(handle)).failures).not.toEqual([]);
    expect(world.versions['first']).toBeGreaterThanOrEqual(2);
  });
});
