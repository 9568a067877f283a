import type { ScenarioName } from '../scenarios.ts';

/** A defect that a product like this one may have, put into a copy of it. */
export interface PlantedDefect {
  readonly name: string;
  readonly file: string;
  /** What stands there, once. */
  readonly instead: string;
  readonly stands: string;
  /** Where the same is guarded twice, the other place. */
  readonly also?: Pick<PlantedDefect, 'file' | 'instead' | 'stands'>;
  readonly scenario: ScenarioName;
  /** The judges that have to find it: what another one says is found by chance, or the plant itself is broken. */
  readonly judges: readonly string[];
}

/** The file's text with the defect in it. */
export function withDefect(
  { name, file, instead, stands }: Pick<PlantedDefect, 'name' | 'file' | 'instead' | 'stands'>,
  text: string,
): string {
  const [before, after, ...more] = text.split(instead);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${name}: ${file} does not have it once: ${instead}`);
  }
  return `${before}${stands}${after}`;
}

export const PLANTED: readonly PlantedDefect[] = [
  {
    name: 'random token',
    file: 'activities/launch-instance.ts',
    instead: 'const { parameters, token } = launch;\n    let place',
    stands:
      'const { parameters } = launch;\n    const token = `${launch.token.slice(0, 30)}${Math.floor(Math.random() * 1e9)}`;\n    let place',
    scenario: 'hostile',
    judges: ['one instance'],
  },
  {
    name: 'no look before a repeat, in a cloud without tokens',
    file: 'workflows/machine/plan-launch.ts',
    instead:
      "const mayRepeat =\n    launch.settleOnly === undefined && !launch.refused && now - launch.firstCallAt < settings.repeatLimitSeconds * 1000;\n  if (!mayRepeat) return planSettlement(launch, now, settings);\n  return { do: 'call', lookFirst: true,",
    stands:
      "const mayRepeat = !launch.refused && now - launch.firstCallAt < settings.repeatLimitSeconds * 1000;\n  if (!mayRepeat) return planSettlement(launch, now, settings);\n  return { do: 'call', lookFirst: false,",
    scenario: 'hostile',
    judges: ['one instance'],
  },
  {
    name: 'attempt + 1 without proof',
    file: 'workflows/machine/plan-launch.ts',
    instead: "if (!isOutcomeUnknown(launch)) return { do: 'nextAttempt' };",
    stands: "if (launch.unanswered >= 0 || !isOutcomeUnknown(launch)) return { do: 'nextAttempt' };",
    scenario: 'hostile',
    judges: ['one instance'],
  },
  {
    name: 'proof by two looks',
    file: 'workflows/machine/absence-proof.ts',
    instead: 'const due = Math.max(first + windowMs, between + apart);',
    stands: "if (between > 0) return 'proved';\n  const due = Math.max(first + windowMs, between + apart);",
    scenario: 'hostile',
    judges: ['one instance', 'clean end'],
  },
  {
    name: 'issued names forgotten at continue-as-new',
    file: 'workflows/machine-set/machine-set.ts',
    instead: 'memory = { issued: [], refusals: {} } } = input;',
    stands: '} = input;\n  const memory: MachineSetMemory = { issued: [], refusals: {} };',
    scenario: 'upgrade',
    judges: ['no surplus'],
  },
  {
    name: 'finalizer removed before the instance is gone',
    file: 'workflows/machine/machine.ts',
    instead: '  terminated,\n  alone,\n  toldByDeleting(vacated),\n  released,\n];',
    stands: '  released,\n  terminated,\n  alone,\n  toldByDeleting(vacated),\n];',
    scenario: 'churn',
    judges: ['clean end'],
  },
  {
    name: 'a stale list trusted for creation',
    file: 'activities/create-replicas.ts',
    instead: 'const batch = look.plan.unseen.slice(0, size);',
    stands: 'const batch = [...left].slice(0, size);',
    scenario: 'overshot',
    judges: ['no surplus'],
  },
  {
    name: 'an absent instance taken for gone at once',
    file: 'workflows/machine/look-at-instance.ts',
    instead: 'const windowMs = pass.settings.goneWindowSeconds * 1000;',
    stands: 'const windowMs = 1;',
    scenario: 'hostile',
    judges: ['clean end', 'one instance'],
  },
  {
    name: 'a workflow that forgets dirty at continue-as-new',
    file: 'workflows/entity.ts',
    instead: '  let dirty = true;',
    stands: '  let dirty = workflowInfo().continuedFromExecutionRunId === undefined;',
    scenario: 'hostile',
    judges: ['liveness'],
  },
  {
    name: 'a launch for a Machine that is being deleted',
    file: 'activities/launch-guards.ts',
    instead: "if (deletedAt !== undefined) return 'the Machine is being deleted';",
    stands: "if (deletedAt === '') return 'the Machine is being deleted';",
    scenario: 'hostile',
    judges: ['no launch in vain'],
  },
  {
    name: 'an instance that ends before its Node is drained',
    file: 'workflows/machine/machine.ts',
    instead:
      '  drained,\n  outOfService,\n  withNodeTold(toldByDeleting(detached)),\n  toldByDeleting(evictedLast),\n  withNodeTold(preTerminateHooks),\n  withNodeTold(stillInTurn),\n  unbalanced,\n',
    stands: '  preTerminateHooks,\n  unbalanced,\n',
    scenario: 'drained',
    judges: ['drained first'],
  },
  {
    name: 'an instance that ends before volumes are detached',
    file: 'workflows/machine/phases/detached.ts',
    instead: 'if (slot.isDone === true || !isDrained(pass) || isVolumeWaitSkipped(pass)) return DONE;',
    stands: 'if (slot.isDone !== false || !isDrained(pass) || isVolumeWaitSkipped(pass)) return DONE;',
    scenario: 'drained',
    judges: ['volumes first'],
  },
  {
    name: 'a Node that goes with the pods of an instance that ended before them',
    file: 'workflows/machine/phases/vacated.ts',
    instead: 'if (slot === undefined || slot.isDone === true || isVolumeWaitSkipped(pass)) return DONE;',
    stands: 'if (slot === undefined || slot.isDone !== false || isVolumeWaitSkipped(pass)) return DONE;',
    scenario: 'drained',
    judges: ['vacated first'],
  },
  {
    name: 'pods of DaemonSets that leave with the others',
    file: 'activities/drain/choose-pods.ts',
    instead: "if (pod.isMirror || pod.drain === 'skip' || isOfDaemonSet(pod, daemonSets)) return 'leave';",
    stands:
      "if (pod.isMirror || pod.drain === 'skip') return 'leave'; if (isOfDaemonSet(pod, daemonSets)) return 'evict';",
    scenario: 'drained',
    judges: ['DaemonSets last'],
  },
  {
    name: 'a hook before the termination that is passed over',
    file: 'workflows/machine/phases/pre-terminate-hooks.ts',
    instead: "return waitForHooks(pass, 'preTerminate');",
    stands: "return passHooks(pass, 'preTerminate');",
    scenario: 'drained',
    judges: ['hooks hold'],
  },
  {
    name: 'an abort that does not uncordon',
    file: 'workflows/machine/phases/returned.ts',
    instead: 'return (isKept ? undefined : await uncordon(pass, slot)) ?? finish(pass, slot, isKept);',
    stands: 'return finish(pass, slot, isKept);',
    scenario: 'aborted',
    judges: ['an abort takes back'],
  },
  {
    name: 'the cordon of another that is taken off',
    file: 'activities/drain/cordon.ts',
    instead: 'kube.apply<Node>(NODES, undefined, name, { metadata: { uid } }, OURS)',
    stands:
      'kube.mergePatch<Node>(NODES, undefined, name, { metadata: { uid, annotations: { [DRAINED_FOR_ANNOTATION]: null } }, spec: { unschedulable: null } }, OURS)',
    scenario: 'aborted',
    judges: ['the cordon of another stays'],
  },
  {
    name: 'an abort that is acknowledged while evictions are on their way',
    file: 'workflows/machine/phases/returned.ts',
    instead: 'const LATEST_EFFECT_MS = 20_000;',
    stands: 'const LATEST_EFFECT_MS = 0;',
    scenario: 'aborted',
    judges: ['an abort holds'],
  },
  {
    name: 'a process that stood still and does not know how long',
    file: 'providers/moment.ts',
    instead: 'return Math.max(clock.now() - now, clock.timeOfDay() - timeOfDay);',
    stands: 'return Math.min(0, clock.now() - now, clock.timeOfDay() - timeOfDay);',
    scenario: 'aborted',
    judges: ['an abort holds'],
  },
  {
    name: 'a Machine that is deleted although that was taken back',
    file: 'activities/delete-machine.ts',
    instead: '{ name, uid, resourceVersion }',
    stands: '{ name, uid, resourceVersion: undefined as never }',
    scenario: 'aborted',
    judges: ['what is taken back stays'],
  },
  {
    name: 'a turn of a control plane that another one has',
    file: 'activities/take-turn.ts',
    instead: 'if (by === undefined || purpose === undefined || isOver(by)) return undefined;',
    stands:
      'if (by === undefined || by.ref.uid !== machine.ref.uid || purpose === undefined || isOver(by)) return undefined;',
    scenario: 'quorum',
    judges: ['one of a control plane'],
  },
  {
    name: 'a control plane of which one other is enough',
    file: 'k8s/model/control-plane.ts',
    instead: 'if (ready >= least) return undefined;',
    stands: 'if (ready >= least - 1) return undefined;',
    scenario: 'quorum',
    judges: ['a control plane keeps its quorum'],
  },
  {
    name: 'a Deployment that is rolled once more while a drain lasts that had it rolled',
    file: 'activities/drain/plan-surge.ts',
    instead: 'if (otherDrain !== undefined)\n    return',
    stands: "if (otherDrain === '')\n    return",
    scenario: 'drained',
    judges: ['one roll a drain'],
  },
  {
    name: 'a Deployment that is rolled again when its template was put back',
    file: 'activities/drain/plan-surge.ts',
    instead: 'if (template === undefined || template !== recorded) {\n',
    stands: 'if (template === undefined) return undefined;\n  if (template !== recorded) {\n',
    scenario: 'drained',
    judges: ['one roll a drain'],
  },
  {
    name: 'a Deployment that is rolled although nobody asks for it',
    file: 'activities/drain/plan-surge.ts',
    instead: 'const { asked, rollout } = deployment;',
    stands: "const { asked = 'surge', rollout } = deployment;",
    scenario: 'drained',
    judges: ['rolls by leave'],
  },
  {
    name: 'a roll that takes pods away first',
    file: 'activities/drain/plan-surge.ts',
    instead: 'if (rolling.unavailable > 0)\n',
    stands: 'if (rolling.unavailable > replicas)\n',
    scenario: 'drained',
    judges: ['no pod short'],
  },
  {
    name: 'a Node whose instance runs that is told of as out of service',
    file: 'workflows/machine/look-whether-ended.ts',
    instead: "if (state !== 'stopped' || lookTimeOf",
    stands: 'if (lookTimeOf',
    scenario: 'drained',
    judges: ['out of service'],
  },
  {
    name: 'Force that begins with the drain',
    file: 'activities/drain/plan-drain.ts',
    instead: 'return Math.max(deadline - graceMs, from);',
    stands: 'return from - deadline;',
    scenario: 'drained',
    judges: ['Force in time'],
  },
  {
    name: 'a place that is free before a machine without a drain is asked to end',
    file: 'k8s/model/replica.ts',
    instead: "if (deletion.drainStartTime === undefined) return 'begun';",
    stands:
      "if (deletion.drainStartTime === undefined)\n    return deletion.preTerminateHookStartTime === undefined ? 'begun' : 'drained';",
    scenario: 'replaced',
    judges: ['its place is held'],
  },
  {
    name: 'a beginning that goes by what the condition says alone',
    file: 'workflows/machine-health-check/sightings.ts',
    instead: 'if (cause.since !== undefined) return { ...facts, since: cause.since };',
    stands:
      'const beginning = cause.since ?? changedAt;\n  if (beginning !== undefined) return { ...facts, since: beginning };',
    scenario: 'healed',
    judges: ['liveness'],
  },
  {
    name: 'a good sight that ends nothing',
    file: 'workflows/machine-health-check/sightings.ts',
    instead: 'const recent = recentSpells(all, timeoutMs, now);\n  return recent',
    stands:
      'const recent = recentSpells(all, timeoutMs, now);\n  if (since !== undefined) return sighting;\n  return recent',
    scenario: 'healed',
    judges: ['ill at its deadline'],
  },
  {
    name: 'a remediation that is over when the Machine is gone',
    file: 'workflows/machine-health-check/gone-slots.ts',
    instead: 'held.push(...order.slice(0, joining.length + (set.isHeld === true ? 0 : missing)));',
    stands: 'held.push(...order.slice(0, 0));',
    scenario: 'healed',
    judges: ['in flight'],
  },
  {
    name: 'a limit that nobody heeds',
    file: 'workflows/machine-health-check/begin-steps.ts',
    instead: 'if (slots.length < this.#input.pace.limit) return true;',
    stands: 'if (slots.length < this.#input.pace.limit + 9) return true;',
    scenario: 'healed',
    judges: ['in flight'],
  },
  {
    name: 'a remediation without a look right before it',
    file: 'activities/health/remediate.ts',
    instead: "if (held !== undefined) return { outcome: 'notNow', message: held };",
    stands: "if (held === '') return { outcome: 'notNow', message: held };",
    scenario: 'healed',
    judges: ['ill at its deadline'],
  },
  {
    name: 'a reboot that nobody answered and that is asked for again',
    file: 'activities/health/reboots.ts',
    instead: 'if (!isUncalled && !REFUSALS.has(failure.code)) return',
    stands: "if (!isUncalled && failure.code === 'Canceled') return",
    scenario: 'healed',
    judges: ['one reboot where one was asked'],
  },
  {
    name: 'a reboot on record that a workflow without a memory asks for again',
    file: 'workflows/machine/phases/rebooted.ts',
    instead: "const isUncalled = known?.id === memory.rebooted.uncalled && known?.state === 'Sent';",
    stands:
      "const isUncalled = (memory.rebooted.told === undefined || known?.id === memory.rebooted.uncalled) && known?.state === 'Sent';",
    scenario: 'healed',
    judges: ['one reboot where one was asked', 'at most maxReboots'],
  },
  {
    name: 'a reboot that is waited for without end',
    file: 'workflows/machine-health-check/reboots.ts',
    instead: 'record.isDone === true && illnesses.length === 0 ? Infinity',
    stands: 'record.isDone !== true || illnesses.length === 0 ? Infinity',
    scenario: 'rebooted',
    judges: ['a reboot has an end'],
  },
  {
    name: 'reboots that nobody counts',
    file: 'k8s/model/reboot.ts',
    instead: '.filter((at) => at > now - REBOOTS_COUNTED_MS)',
    stands: '.filter((at) => at > now - 60_000)',
    scenario: 'healed',
    judges: ['at most maxReboots'],
  },
  {
    name: 'a storm that holds nothing',
    file: 'workflows/machine-health-check/holds.ts',
    instead: 'isUnhealthy && !stormOver(storms, suspect, cause)',
    stands: 'isUnhealthy && !(stormOver(storms, suspect, cause) && suspect.node === undefined)',
    scenario: 'healed',
    judges: ['a storm holds'],
  },
  {
    name: 'a lost zone that holds nothing',
    file: 'workflows/machine-health-check/storms.ts',
    instead: 'return isAlone && isSudden && struck.every(isFresh) ? [{ cause, zone, latchedAt: now }] : [];',
    stands: 'return isAlone && isSudden && struck.length > 99 ? [{ cause, zone, latchedAt: now }] : [];',
    scenario: 'zoned',
    judges: ['a lost zone holds'],
  },
  {
    name: 'a rollout that does not count what is being deleted',
    file: 'workflows/machine-deployment/rollout.ts',
    instead: 'return Math.max(existing, maxMachines',
    stands: 'return Math.max(active, maxMachines',
    scenario: 'rolled',
    judges: ['no surge beyond'],
  },
  {
    name: 'a rollout whose drains evict who asks not to be disrupted',
    file: 'workflows/machine/drain-times.ts',
    instead: '|| isRolledOut(seen.machine)',
    stands: "|| (purpose === 'reboot' && isRolledOut(seen.machine))",
    scenario: 'rolled',
    judges: ['a rollout waits'],
  },
  {
    name: 'a rollout that takes two more than may be unavailable',
    file: 'workflows/machine-deployment/rollout.ts',
    instead: 'return Math.max(0, replicas - bounds.maxUnavailable);',
    stands: 'return Math.max(0, replicas - bounds.maxUnavailable - 2);',
    scenario: 'rolled',
    judges: ['enough stay available'],
  },
  {
    name: 'a set that deletes what its deployment wanted, without a look at the others',
    file: 'activities/delete-replicas.ts',
    instead: 'const takeable = wanted.slice(0, taking?.count);',
    stands: 'const takeable = wanted.slice(0, taking === undefined ? undefined : wanted.length);',
    scenario: 'rolled',
    judges: ['enough stay available', 'a paused rollout stands'],
  },
  {
    name: 'a limit that is raised before all sets have answered',
    file: 'workflows/machine-deployment/plan-rollout.ts',
    instead: '(isSettled ? 0 : 1)',
    stands: '(isSettled ? 0 : 0)',
    scenario: 'rolled',
    judges: ['no surge beyond'],
  },
  {
    name: 'a setting that makes another template',
    file: 'k8s/dialects/openshift/machine-template.ts',
    instead: 'spec: rolledPartOf(spec) }',
    stands: 'spec: { ...rolledPartOf(spec), metadata: spec.metadata } }',
    scenario: 'rolled',
    judges: ['nothing is replaced for a setting'],
  },
  {
    name: 'a Node that keeps what left its template',
    file: 'activities/node-marks.ts',
    instead: 'if (wanted[key] === undefined && present[key] === value) change[key] = null;',
    stands: 'if (wanted[key] === undefined && present[key] === undefined) change[key] = null;',
    scenario: 'rolled',
    judges: ['a Node follows its template'],
  },
  {
    name: 'a rollout that leaves its marks behind',
    file: 'workflows/machine-set/plan-replicas.ts',
    instead: 'machine.rollout !== rollout)',
    stands: 'rollout !== undefined && machine.rollout !== rollout)',
    scenario: 'rolled',
    judges: ['a Node follows its template'],
  },
  {
    name: 'a Node that loses what others put there',
    file: 'activities/node-marks.ts',
    instead: 'const stay = present.filter((one) => !hasTaint(missing, one)',
    stands: 'const stay = present.filter((one) => hasTaint(named, one) && !hasTaint(missing, one)',
    scenario: 'rolled',
    judges: ['what others put there stays'],
  },
  {
    name: 'taints for the beginning that come back',
    file: 'activities/node-marks.ts',
    instead: '(isNew ? startupTaints : [])',
    stands: 'startupTaints',
    scenario: 'rolled',
    judges: ['once at joining'],
  },
  {
    name: 'a taint that evicts pods on a Node in use',
    file: 'activities/node-marks.ts',
    instead: "const kept = isNew ? nodeTaints : nodeTaints.filter(({ effect }) => effect !== 'NoExecute');",
    stands: 'const kept = nodeTaints;',
    scenario: 'rolled',
    judges: ['no Node in use is emptied'],
  },
  {
    name: 'a Machine that is deleted by a look from before its process stood still',
    file: 'activities/delete-replicas.ts',
    instead: 'taking === undefined || agoMs(deps.clock, taking.lookedAt) < MOST_OLD_MS',
    stands: 'taking === undefined || agoMs(deps.clock, taking.lookedAt) >= 0',
    scenario: 'interrupted',
    judges: ['enough stay available', 'a paused rollout stands'],
  },
  {
    name: 'a step of a rollout that allows one machine more',
    file: 'workflows/machine-deployment/steps.ts',
    instead: 'return Math.min(replicas, scaledValue(machines, replicas, Math.ceil));',
    stands: 'return Math.min(replicas, scaledValue(machines, replicas, Math.ceil) + 1);',
    scenario: 'stepped',
    judges: ['nothing beyond the step'],
  },
  {
    name: 'a step that waits for approval and holds nothing',
    file: 'workflows/machine-deployment/hold.ts',
    instead: "if (step?.kind !== 'pause' && step?.kind !== 'approval') return undefined;",
    stands:
      "if (step?.kind !== 'pause' && (step?.kind !== 'approval' || known === undefined || known.passed > 0)) return undefined;",
    scenario: 'stepped',
    judges: ['nothing beyond the step', 'a step waits'],
  },
  {
    name: 'a step that is approved by nobody',
    file: 'workflows/machine-deployment/steps.ts',
    instead:
      "return newAvailable >= mostNew && oldExisting <= Math.max(0, replicas - mostNew);\n    case 'approval':\n      return word !== undefined;",
    stands:
      "return newAvailable >= mostNew && oldExisting <= Math.max(0, replicas - mostNew);\n    case 'approval':\n      return newAvailable === newActive;",
    scenario: 'stepped',
    judges: ['a step waits'],
  },
  {
    name: 'a rollout that replaces although it never may',
    file: 'workflows/machine-deployment/hold.ts',
    instead: 'if (hasOld && !strategy.mayReplace) return NOT_ALLOWED;',
    stands: 'if (hasOld && !strategy.mayReplace && isRolloutPaused) return NOT_ALLOWED;',
    scenario: 'stepped',
    judges: ['Never takes none'],
  },
  {
    name: 'old machines that are made again of the newest of their templates, whatever became of it',
    file: 'workflows/machine-deployment/plan-rollout.ts',
    instead: 'const newestOld = old.findLast(({ replicas, active }) => replicas + active > 0) ?? old.at(-1);',
    stands: 'const newestOld = old.at(-1);',
    scenario: 'stepped',
    judges: ['what is given up stays so'],
  },
  {
    name: 'a rollout that takes old machines before those that are marked in another set',
    file: 'workflows/machine-deployment/plan-rollout.ts',
    instead: "case 'RollingUpdate': {\n      targets.lowerMarked();",
    stands: "case 'RollingUpdate': {\n      if (replicas < 0) targets.lowerMarked();",
    scenario: 'interrupted',
    judges: ['marked first'],
  },
  {
    name: 'a stop for failures that holds nothing',
    file: 'activities/taking.ts',
    instead: 'isHeld: holdOf(',
    stands:
      "isHeld: status.conditions?.some(({ reason }) => reason === 'ProgressDeadlineExceeded') !== true && holdOf(",
    also: {
      file: 'workflows/machine-deployment/see-rollout.ts',
      instead: 'isHeld: hold !== undefined,',
      stands:
        "isHeld: hold !== undefined && status.conditions?.some(({ reason }) => reason === 'ProgressDeadlineExceeded') !== true,",
    },
    scenario: 'stepped',
    judges: ['nothing is taken after a stop'],
  },
];
