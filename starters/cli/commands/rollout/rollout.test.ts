import { beforeEach, describe, expect, test } from '@jest/globals';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { MACHINE_DEPLOYMENTS } from '../../../../k8s/dialects/openshift/resources.ts';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { aBudget } from '../../../../test/world/builders/a-budget.ts';
import { aMachine } from '../../../../test/world/builders/a-machine.ts';
import { aPod } from '../../../../test/world/builders/a-pod.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { RolloutWorld } from '../../../../test/world/rollout-world.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import { EXIT } from '../../exit-codes.ts';
import { printHistory } from './history.ts';
import { describeStatus, tellStatus } from './status.ts';
import { approve } from './steer-steps.ts';
import { restart, setPause, undo } from './steer.ts';

const NAME = 'machinedeployment.machine.openshift.io/workers';
const clock = ownClock();
let world: RolloutWorld;
let lines: string[];
beforeEach(() => {
  world = new RolloutWorld(clock);
  lines = [];
});

const parts = () => ({
  onInterrupt: () => () => {},
  access: { kube: world.kube.client, apis: APIS, namespace: NAMESPACE },
  clock,
  print: (line: string) => lines.push(line),
});
const version = () => world.deployment?.spec.template.metadata?.annotations?.['example.com/version'];

describe('millwright rollout', () => {
  test('pause and resume write spec.paused, and say where it is so already', async () => {
    await setPause(parts(), 'workers', true);
    expect(world.deployment?.spec.paused).toBe(true);
    await expect(setPause(parts(), 'workers', true)).rejects.toThrow(`${NAME} is already paused`);
    await setPause(parts(), 'workers', false);
    expect(world.deployment?.spec.paused).toBe(false);
    await expect(setPause(parts(), 'workers', false)).rejects.toThrow('is not paused');
    expect(lines).toEqual([`${NAME} paused`, `${NAME} resumed`]);
  });

  /** The rollout is at this step, as its workflow has it on record. */
  function atStep(passed: number, templateHash = 'other'): void {
    const steps = [{ approval: {} }, { pause: {} }];
    world.change({ strategy: { type: 'RollingUpdate', rollingUpdate: { steps } } as never });
    const { deployment } = world;
    const hash = openshift.machineDeployment.read(deployment as never).machineDeployment.templateHash;
    const step = { templateHash: passed < 0 ? templateHash : hash, revision: 2, passed, since: '2026-01-01T00:00:00Z' };
    world.kube.put({ ...deployment, status: { ...deployment?.status, step } } as never);
  }
  const said = (what: string) => world.deployment?.metadata.annotations?.[`millwright.dev/${what}-step`];

  test('approve says so of the step that the rollout waits at, and of no other', async () => {
    await expect(approve(parts(), 'workers')).rejects.toThrow(`${NAME} waits for no approval`);
    atStep(0);
    await approve(parts(), 'workers');
    expect(said('approved')).toMatch(/^2-\w{10}-1 \w+/);
    expect(lines).toEqual([`${NAME} step 1 of 2 of revision 2 approved`]);
    atStep(1);
    await expect(approve(parts(), 'workers')).rejects.toThrow(
      `${NAME} waits for no approval: it is at a pause, which rollout resume ends`,
    );
    atStep(-1);
    await expect(approve(parts(), 'workers')).rejects.toThrow(`${NAME} waits for no approval`);
  });

  test('approve and undo know a set that an earlier release made, which came to another hash of the template', async () => {
    await world.makeSet();
    const set = structuredClone(world.sets[0]);
    if (set === undefined) throw new Error('there is a set');
    set.metadata.labels = { ...set.metadata.labels, 'machine-template-hash': 'by-earlier' };
    world.kube.put({ ...set });
    atStep(0);
    const step = { templateHash: 'by-earlier', revision: 1, passed: 0, since: '2026-01-01T00:00:00Z' };
    world.kube.put({ ...world.deployment, status: { step } } as never);
    await approve(parts(), 'workers');
    expect(said('approved')).toMatch(/^1-by-earlier-1 \w+/);
    await undo(parts(), 'workers', 1);
    await printHistory(parts(), 'workers');
    expect(lines).toEqual([
      `${NAME} step 1 of 2 of revision 1 approved`,
      `${NAME} skipped rollback (it has the template of revision 1 already)`,
      NAME,
      expect.stringContaining('the template as it is now'),
    ]);
  });

  test('resume ends a pause that is a step; spec.paused goes first', async () => {
    atStep(1);
    world.change({ paused: true });
    await setPause(parts(), 'workers', false);
    expect(said('resumed')).toBeUndefined();
    await setPause(parts(), 'workers', false);
    expect(said('resumed')).toMatch(/^2-\w{10}-2 \w+/);
    expect(lines).toEqual([
      `${NAME} resumed`,
      'it is at a step that is a pause: resume it once more to end that too',
      `${NAME} step 2 of 2 of revision 2 resumed`,
    ]);
    atStep(0);
    await expect(setPause(parts(), 'workers', false)).rejects.toThrow(
      `${NAME} is not paused: it waits for approval of a step (run rollout approve)`,
    );
  });

  test('restart makes the template another one that says the same', async () => {
    const before = world.deployment?.spec.template;
    await restart(parts(), 'workers');
    expect(world.deployment?.spec.template.spec).toEqual(before?.spec);
    expect(world.deployment?.spec.template.metadata?.annotations).toHaveProperty(['millwright.dev/restarted-at']);
    expect(lines).toEqual([`${NAME} restarted`]);
  });

  test('undo puts the template before this one back, whole, or that of a revision', async () => {
    const first = world.deployment?.spec.template;
    await world.makeSet();
    world.release('2');
    await world.makeSet();
    world.release('3');
    await world.makeSet();
    await undo(parts(), 'workers');
    expect(version()).toBe('2');
    await undo(parts(), 'workers', 1);
    expect(version()).toBeUndefined();
    expect(world.deployment?.spec.template.metadata?.labels).toEqual(first?.metadata?.labels);
    expect(world.deployment?.spec.template.spec).toEqual(first?.spec);
    await undo(parts(), 'workers', 1);
    await expect(undo(parts(), 'workers', 7)).rejects.toThrow('unable to find the revision 7');
    expect(lines).toEqual([
      `${NAME} rolled back`,
      `${NAME} rolled back`,
      `${NAME} skipped rollback (it has the template of revision 1 already)`,
    ]);
  });

  test('undo in mid-roll warns of budgets that hold up drains of what goes for it, and of no others', async () => {
    const nodeOf = (isNew: boolean) => {
      const isIt = ({ metadata }: (typeof world.machines)[number]) =>
        (metadata.annotations?.['example.com/version'] === '2') === isNew;
      return world.machines.find(isIt)?.status?.nodeRef?.name ?? '';
    };
    const comes = async () => {
      for (let n = 0; n < 3; n += 1) await world.order();
      world.say('True');
    };
    await world.makeSet();
    await comes();
    const [first] = world.sets;
    world.release('2');
    await world.makeSet();
    const { deployment } = world;
    const set = world.sets.find(({ metadata }) => metadata.name !== first?.metadata.name);
    const preflight = {
      templateHash: set?.metadata.labels?.['machine-template-hash'],
      revision: 2,
      passed: true,
      checkedAt: '2026-01-01T00:00:00Z',
    };
    world.kube.put({ ...deployment, status: { ...deployment?.status, preflight } } as never);
    await comes();
    expect([nodeOf(true), nodeOf(false)]).not.toContain('');
    for (const [app, node] of [
      ['new', nodeOf(true)],
      ['old', nodeOf(false)],
    ] as const) {
      world.kube.put(aPod({ name: `${app}-1`, node, labels: { app } }));
      world.kube.put({ ...aBudget(app), status: { disruptionsAllowed: 0 } } as never);
    }
    await undo(parts(), 'workers');
    expect(lines).toEqual([
      `${NAME} rolled back`,
      `PodDisruptionBudgets that allow no eviction now: default/new, which keeps pod new-1 on Node ${nodeOf(true)}. Drains wait for them`,
    ]);
    // One that goes already has its place until its drain is over, though its template is the one that comes back.
    const going = world.machines.find(({ status }) => status?.nodeRef?.name === nodeOf(false));
    if (going === undefined) throw new Error('there is none');
    const metadata = { ...going.metadata, finalizers: ['held'], deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.kube.put({ ...going, metadata });
    lines.length = 0;
    world.release('2');
    // What is drained for others is not this rollout's.
    const held = { finalizers: ['held'], deletionTimestamp: '2026-01-01T00:00:00Z' };
    const elsewhere = { nodeRef: { name: 'elsewhere', uid: 'uid-of-elsewhere' } };
    world.kube.put(aMachine({ name: 'another', metadata: held, status: elsewhere }));
    world.kube.put(aPod({ name: 'another-1', node: 'elsewhere', labels: { app: 'another' } }));
    world.kube.put({ ...aBudget('another'), status: { disruptionsAllowed: 0 } } as never);
    await undo(parts(), 'workers');
    expect(lines.at(-1)).toMatch(/default\/old, which keeps pod old-1/);
    expect(lines.at(-1)).not.toContain('another');
  });

  test('undo and history tell of a revision as it was, whatever settings its set has by now', async () => {
    const first = world.deployment?.spec.template;
    await world.makeSet();
    world.release('2');
    world.settle({ readinessGates: [{ conditionType: 'Tested' }] });
    await world.makeSet();
    const [set] = world.sets;
    if (set === undefined) throw new Error('there is no set');
    const { template } = set.spec;
    world.kube.put({
      ...set,
      metadata: {
        ...set.metadata,
        annotations: { ...set.metadata.annotations, 'millwright.dev/revision-settings': '{}' },
      },
      spec: {
        ...set.spec,
        template: { ...template, spec: { ...template?.spec, readinessGates: [{ conditionType: 'Tested' }] } },
      },
    } as never);
    await printHistory(parts(), 'workers', 1);
    expect(lines.join('\n')).not.toContain('readinessGates');
    await undo(parts(), 'workers');
    expect(world.deployment?.spec.template.spec).toEqual(first?.spec);
  });

  test('undo changes nothing where somebody else changed it meanwhile', async () => {
    await world.makeSet();
    world.release('2');
    await world.makeSet();
    const { client } = world.kube;
    const access = {
      kube: {
        ...client,
        jsonPatch: (...args: Parameters<typeof client.jsonPatch>) => {
          world.release('3');
          return client.jsonPatch(...args);
        },
      },
      apis: APIS,
      namespace: NAMESPACE,
    };
    await expect(undo({ ...parts(), access: access as never }, 'workers')).rejects.toThrow('changed meanwhile');
    expect(version()).toBe('3');
  });

  test('undo is tried again where nothing but the status changed meanwhile', async () => {
    await world.makeSet();
    world.release('2');
    await world.makeSet();
    const { client } = world.kube;
    let changes = 3;
    const access = {
      kube: {
        ...client,
        jsonPatch: async (...args: Parameters<typeof client.jsonPatch>) => {
          if (changes-- > 0) {
            const body = { status: { replicas: changes } };
            await world.kube.others.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, 'workers', body, {
              subresource: 'status',
            });
          }
          return client.jsonPatch(...args);
        },
      },
      apis: APIS,
      namespace: NAMESPACE,
    };
    await undo({ ...parts(), access: access as never }, 'workers');
    expect(version()).toBeUndefined();
    expect(lines).toEqual([`${NAME} rolled back`]);
  });

  test('undo says that nothing is replaced for it where the strategy forbids that', async () => {
    await world.makeSet();
    world.change({ strategy: { replace: 'Never' } as never });
    world.release('2');
    await undo(parts(), 'workers');
    expect(lines).toEqual([
      `${NAME} rolled back`,
      'its spec.strategy.replace is Never: no machine is replaced for that before it is Allowed',
    ]);
  });

  test('undo says that there is nothing to go back to, and that it is paused', async () => {
    await world.makeSet();
    await expect(undo(parts(), 'workers')).rejects.toThrow('no rollout history found');
    world.change({ paused: true });
    await expect(undo(parts(), 'workers')).rejects.toThrow('it is paused (run rollout resume first)');
  });

  /** A rollout of a second template that is paused, and of which a machine has failed. */
  async function failedAndPaused(spec: object = {}): Promise<void> {
    await world.makeSet();
    world.release('2');
    await world.makeSet();
    world.change({ paused: true, ...spec });
    const { deployment } = world;
    const progress = { ...condition('Progressing', 'False', 'NewMachinesFailed'), message: 'Machine a: no Node' };
    const generation = deployment?.metadata.generation;
    world.kube.put({ ...deployment, status: { observedGeneration: generation, conditions: [progress] } } as never);
  }

  test('undo of a rollout that was stopped for what failed has it go on', async () => {
    await failedAndPaused();
    await expect(tellStatus(parts(), 'workers', { watch: true, timeout: 9 })).rejects.toThrow('Machine a: no Node');
    await undo(parts(), 'workers');
    expect(version()).toBeUndefined();
    expect(world.deployment?.spec.paused).toBe(false);
  });

  test('undo does not take off a pause of a person, where failures stop nothing', async () => {
    await failedAndPaused({ strategy: CONTINUE });
    await expect(undo(parts(), 'workers')).rejects.toThrow('it is paused (run rollout resume first)');
    expect(world.deployment?.spec.paused).toBe(true);
  });

  test('history tells each revision, and the template of one', async () => {
    await world.makeSet();
    world.release('2');
    await world.makeSet();
    await printHistory(parts(), 'workers');
    expect(lines[0]).toBe(NAME);
    expect(lines[1]?.split('\n').map((line) => line.trim().split(/\s+/)[0])).toEqual(['REVISION', '1', '2']);
    expect(lines[1]?.split('\n')[2]).toContain('the template as it is now');
    await printHistory(parts(), 'workers', 2);
    expect(lines.at(-1)).toContain('example.com/version: "2"');
    await expect(printHistory(parts(), 'workers', 9)).rejects.toThrow('unable to find the revision 9');
  });

  test('status ends in time, and says so', async () => {
    await expect(tellStatus(parts(), 'workers', { watch: true, timeout: 0.01 })).rejects.toMatchObject({
      exitCode: EXIT.timedOut,
    });
    expect(lines).toEqual([`Waiting for ${NAME} spec update to be observed...`]);
  });

  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: `told by ${reason}`,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const RECREATE = { type: 'Recreate' } as const;
  const CONTINUE = { type: 'RollingUpdate', rollingUpdate: { onFailure: 'Continue' } } as const;

  test.each([
    ['machines that failed', 'False', 'NewMachinesFailed', {}, 'told by NewMachinesFailed'],
    ['machines that are late', 'False', 'ProgressDeadlineExceeded', {}, 'told by ProgressDeadlineExceeded'],
    ['machines that failed, where it goes on', 'False', 'NewMachinesFailed', { strategy: CONTINUE }, undefined],
    [
      'machines that failed of another type',
      'False',
      'NewMachinesFailed',
      { strategy: RECREATE },
      'told by NewMachinesFailed',
    ],
    ['no room', 'True', 'WaitingForCapacity', {}, undefined],
  ] as const)(
    'status says what is waited for, and ends where that is for a person: %s',
    (_words, is, reason, spec, stopped) => {
      world.change(spec as never);
      const { deployment } = world;
      const conditions = [condition('Progressing', is, reason)];
      const generation = deployment?.metadata.generation;
      const told = { observedGeneration: generation, updatedReplicas: 1, replicas: 3, conditions };
      const read = openshift.machineDeployment.read({ ...deployment, status: told } as never);
      expect(describeStatus(read, NAME)).toMatchObject({
        isDone: false,
        words: expect.stringContaining(`told by ${reason}`),
      });
      expect(describeStatus(read, NAME).stopped).toBe(stopped);
    },
  );

  test('status waits for nobody where machines are replaced when somebody deletes them; and none is restarted that may not be replaced', async () => {
    world.change({ strategy: { type: 'OnDelete', replace: 'Never' } } as never);
    const { deployment } = world;
    const told = { observedGeneration: deployment?.metadata.generation, updatedReplicas: 1, replicas: 3 };
    const read = openshift.machineDeployment.read({ ...deployment, status: told } as never);
    expect(describeStatus(read, NAME)).toMatchObject({
      words: `${NAME}: 1 of 3 machines are of its template`,
      stopped: expect.stringContaining('OnDelete'),
    });
    await expect(restart(parts(), 'workers')).rejects.toThrow('its spec.strategy.replace is Never');
  });

  test('status says that a Cluster is paused', () => {
    const { deployment } = world;
    const conditions = [condition('Progressing', 'True', 'ReplicaSetUpdated'), condition('Paused', 'True', 'Paused')];
    const read = openshift.machineDeployment.read({
      ...deployment,
      status: { observedGeneration: 1, conditions },
    } as never);
    expect(describeStatus(read, NAME).words).toContain('told by Paused');
  });

  test('status of what was rolled back by itself is no success; of what was released since, it is', () => {
    const { deployment } = world;
    const annotations = { 'millwright.dev/rolled-back-from': 'abc 2 Machine a: no Node' };
    const metadata = { ...deployment?.metadata, annotations };
    const at = (revision: number) =>
      describeStatus(
        openshift.machineDeployment.read({
          ...deployment,
          metadata,
          status: { observedGeneration: 1, updatedReplicas: 3, replicas: 3, availableReplicas: 3, revision },
        } as never),
        NAME,
      );
    expect(at(3)).toEqual({
      isDone: true,
      words: `${NAME} was rolled back from revision 2`,
      stopped: 'the rollout failed, and was rolled back: Machine a: no Node',
    });
    expect(at(4)).toEqual({ isDone: true, words: `${NAME} successfully rolled out` });
  });

  test.each([
    [{ updatedReplicas: 1, replicas: 3 }, 'finish: 1 out of 3 new machines have been updated', false],
    [{ updatedReplicas: 3, replicas: 4 }, 'finish: 1 old machines are pending termination', false],
    [{ updatedReplicas: 3, replicas: 3, availableReplicas: 2 }, '2 of 3 updated machines are available', false],
    [{ updatedReplicas: 3, replicas: 3, availableReplicas: 3 }, 'successfully rolled out', true],
  ])('status of %o', (status, words, isDone) => {
    const { deployment } = world;
    if (deployment === undefined) throw new Error('it is not there');
    const read = openshift.machineDeployment.read({
      ...deployment,
      status: { observedGeneration: 1, ...status },
    } as never);
    const said = describeStatus(read, NAME);
    expect(said.words).toContain(words);
    expect(said.isDone).toBe(isDone);
  });

  test('status waits for settings that the API server refuses its machines', () => {
    const { deployment } = world;
    if (deployment === undefined) throw new Error('it is not there');
    const counts = { observedGeneration: 1, updatedReplicas: 3, replicas: 3, availableReplicas: 3 };
    const said = (...conditions: object[]) => {
      const status = { ...counts, conditions };
      return describeStatus(openshift.machineDeployment.read({ ...deployment, status } as never), NAME);
    };
    expect(said(condition('ReplicaFailure', 'True', 'FailedSettings'))).toEqual({
      isDone: false,
      words: `Waiting for ${NAME} rollout to finish: settings of its template could not be written to its machines; FailedSettings: told by FailedSettings...`,
    });
    expect(said(condition('ReplicaFailure', 'False', 'FailedSettings')).isDone).toBe(true);
    expect(said(condition('ReplicaFailure', 'True', 'FailedDelete')).isDone).toBe(true);
    expect(said(condition('Paused', 'True', 'FailedSettings')).isDone).toBe(false);
  });

  test('status says what is refused, and why an adoption is paused', () => {
    const { deployment } = world;
    if (deployment === undefined) throw new Error('it is not there');
    const words = (paused: boolean, told: object) => {
      const spec = { ...deployment.spec, paused };
      const status = { observedGeneration: 1, replicas: 3, updatedReplicas: 1, ...told };
      return describeStatus(openshift.machineDeployment.read({ ...deployment, spec, status } as never), NAME).words;
    };
    const refused = [
      condition('Progressing', 'True', 'ReplicaSetUpdated'),
      condition('ReplicaFailure', 'True', 'FailedCreate'),
    ];
    expect(words(false, { conditions: refused })).toBe(
      `Waiting for ${NAME} rollout to finish: 1 out of 3 new machines have been updated; FailedCreate: told by FailedCreate...`,
    );
    const held =
      '1 of 3 machines are of revision 2, of which 0 are available. Machine a: its launch is refused: no such image. The deletion of Machine b waits: PodsBlocked';
    const progressing = { ...condition('Progressing', 'True', 'ReplicaSetUpdated'), message: held };
    expect(words(false, { conditions: [progressing] })).toBe(
      `Waiting for ${NAME} rollout to finish: 1 out of 3 new machines have been updated; Machine a: its launch is refused: no such image; The deletion of Machine b waits: PodsBlocked...`,
    );
    const adopts = [
      condition('Progressing', 'Unknown', 'DeploymentPaused'),
      condition('Paused', 'True', 'PausedToAdopt'),
    ];
    expect(words(true, { conditions: adopts })).toBe(
      `Waiting for ${NAME} rollout to finish: it is paused, 1 of 3 updated; told by PausedToAdopt...`,
    );
  });

  test('a paused rollout terminates nothing, also where all machines of the template are there', () => {
    const { deployment } = world;
    if (deployment === undefined) throw new Error('it is not there');
    const words = (replicas: number) => {
      const spec = { ...deployment.spec, paused: true };
      const status = { observedGeneration: 1, updatedReplicas: 3, availableReplicas: 3, replicas };
      return describeStatus(openshift.machineDeployment.read({ ...deployment, spec, status } as never), NAME).words;
    };
    expect(words(4)).toBe(
      `Waiting for ${NAME} rollout to finish: it is paused, with 1 machine of earlier templates...`,
    );
    expect(words(3)).toBe(`${NAME} successfully rolled out`);
  });
});
