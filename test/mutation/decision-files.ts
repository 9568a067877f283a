/** A file that decides, and the tests that hold it to that. */
export interface DecisionFile {
  readonly file: string;
  readonly tests: readonly string[];
}

const MACHINE_SETS = 'activities/machine-sets';
/** Of all of them, of one each, and of what they do in a cloud that fails, or hangs. */
const INSTANCES = ['instances', 'find-instances', 'leftover', 'edited-status', 'cloud-guards', 'hanging-cloud'].map(
  (name) => `activities/${name}`,
);
const HEALTH = 'workflows/machine-health-check';
/** What a check decides from look to look. */
const COURSES = ['slots', 'plan-remediation', 'reboots', 'wishes', 'order', 'storms', 'pace', 'too-many'].map(
  (name) => `${HEALTH}/${name}`,
);
const ROLLOUT = 'workflows/machine-deployment';
/** What is known of an attempt, and what follows from it. */
const LAUNCH = ['launch-record', 'plan-launch', 'step-retry'].map((name) => `workflows/machine/${name}`);

/**
 * The decision files, in the order of their names. The phases of a machine's life that call activities are left out: their
 * tests run workflows, for seconds each, and a run for every mutant would take too long.
 */
export const DECISION_FILES: readonly DecisionFile[] = [
  decides('activities/account'),
  decides('activities/adopt-and-release', MACHINE_SETS),
  decides('activities/adoption', 'activities/adoption', 'activities/edited-status'),
  decides('activities/belonging'),
  decides('activities/create-replicas', MACHINE_SETS),
  decides('activities/delete-replicas', MACHINE_SETS, 'activities/taking'),
  decides('activities/doubt-absence'),
  decides('activities/drain/choose-pods'),
  decides('activities/drain/describe-budget'),
  decides('activities/drain/held-drains'),
  decides('activities/drain/hurry'),
  decides('activities/drain/plan-drain'),
  decides('activities/drain/plan-surge'),
  decides('activities/drain/pod-notes'),
  decides('activities/drain/read-eviction'),
  decides('activities/health/see-health'),
  decides('activities/in-batches', MACHINE_SETS),
  decides('activities/instances', ...INSTANCES),
  decides('activities/launch-guards'),
  decides('activities/launch-instance', 'activities/launch-instance', 'activities/launch-turn'),
  decides('activities/let-go'),
  decides('activities/load-balancers'),
  decides('activities/look-at-replicas', MACHINE_SETS),
  decides(
    'activities/machines',
    'activities/machines',
    'activities/machine-finalizer',
    'activities/named-by-node',
    'activities/forget-deletion',
    'activities/write-machine-status',
  ),
  decides('activities/match-node'),
  decides('activities/node-marks'),
  decides('activities/nodes', 'activities/nodes', 'activities/own-node', 'activities/let-go'),
  decides('activities/own-node', 'activities/own-node', 'activities/nodes'),
  decides('activities/prepare-launch', 'activities/prepare-launch', 'activities/hanging-cloud'),
  decides('activities/surplus'),
  decides('activities/class-spec', 'activities/effective-spec'),
  decides('activities/seen-versions'),
  decides('activities/finalizers', 'activities/machine-classes'),
  decides('activities/owned-objects', 'activities/owned-objects', MACHINE_SETS),
  decides('activities/try-each', MACHINE_SETS),
  decides('activities/update-replicas'),
  decides('k8s/merge-patch'),
  decides('k8s/model/cause'),
  decides('k8s/model/condition'),
  decides('k8s/model/control-plane'),
  decides('k8s/model/deployment'),
  decides('k8s/model/owner-reference'),
  decides('k8s/model/pod'),
  decides('k8s/model/reboot'),
  decides('k8s/model/replica'),
  decides('k8s/model/rollout-machine'),
  decides('k8s/model/taint'),
  decides('k8s/model/template-settings'),
  decides('k8s/model/trouble'),
  decides('k8s/model/usable-node'),
  decides('providers/breaker'),
  decides('providers/rate-limits'),
  decides('providers/retry-after'),
  decides('starters/watcher/health-routes'),
  decides(
    'starters/watcher/routes',
    'starters/watcher/routes',
    'starters/watcher/source-routes',
    'starters/watcher/deployment-routes',
    'starters/watcher/health-routes',
  ),
  decides('workflows/cluster/cluster-status'),
  decides('workflows/inventory/plan-inspections'),
  decides('workflows/machine-class/class-status'),
  decides('workflows/machine-class/plan-class'),
  decides(`${ROLLOUT}/bounds`),
  decides(`${ROLLOUT}/count-machines`, `${ROLLOUT}/see-rollout`),
  decides(`${ROLLOUT}/failures`),
  decides(`${ROLLOUT}/found-rollout`),
  decides(`${ROLLOUT}/hold`, `${ROLLOUT}/steps`, `${ROLLOUT}/preflight`),
  decides(`${ROLLOUT}/may-take`),
  decides(`${ROLLOUT}/new-machines`, `${ROLLOUT}/failures`),
  decides(`${ROLLOUT}/plan-hold`),
  decides(`${ROLLOUT}/plan-rollout`),
  decides(`${ROLLOUT}/preflight`),
  decides(`${ROLLOUT}/roll-back`),
  decides(`${ROLLOUT}/rollout`),
  decides(`${ROLLOUT}/rollout-status`),
  decides(`${ROLLOUT}/see-rollout`),
  decides(`${ROLLOUT}/set-orders`, `${ROLLOUT}/see-rollout`),
  decides(`${ROLLOUT}/share`),
  decides(`${ROLLOUT}/step-after`),
  decides(`${ROLLOUT}/steps`),
  decides(`${ROLLOUT}/stop`),
  decides(`${ROLLOUT}/targets`, `${ROLLOUT}/targets`, `${ROLLOUT}/plan-hold`),
  decides(`${HEALTH}/begin-steps`, `${HEALTH}/begin-steps`, ...COURSES),
  decides(`${HEALTH}/failed-replacements`),
  decides(`${HEALTH}/gone-slots`),
  decides(`${HEALTH}/left-alone`, `${HEALTH}/left-alone`, `${HEALTH}/plan-remediation`),
  decides(`${HEALTH}/order`, `${HEALTH}/order`, `${HEALTH}/plan-remediation`),
  decides(`${HEALTH}/pace`),
  decides(`${HEALTH}/plan-remediation`, ...COURSES),
  decides(`${HEALTH}/reboots`, ...COURSES),
  decides(`${HEALTH}/sightings`),
  decides(`${HEALTH}/slot-steps`, `${HEALTH}/slot-steps`, ...COURSES),
  decides(`${HEALTH}/slots`, ...COURSES),
  decides(`${HEALTH}/spells`, `${HEALTH}/spells`, `${HEALTH}/sightings`),
  decides(`${HEALTH}/storms`),
  decides(`${HEALTH}/too-many`),
  decides(`${HEALTH}/wishes`, ...COURSES),
  decides('workflows/machine-set/describe-set'),
  decides('workflows/machine-set/issue-names'),
  decides('workflows/machine-set/marks', 'workflows/machine-set/marks', 'workflows/machine-set/plan-replicas'),
  decides('workflows/machine-set/plan-replicas'),
  decides('workflows/machine-set/refusals', 'workflows/machine-set/refusals', 'workflows/machine-set/set-status'),
  decides('workflows/machine-set/set-status'),
  decides('workflows/machine/absence-proof'),
  decides('workflows/machine/deletion-points'),
  decides('workflows/machine/describe-drain'),
  decides('workflows/machine/describe-life'),
  decides('workflows/machine/drain-start'),
  decides('workflows/machine/drain-times'),
  decides('workflows/machine/hooks'),
  decides('workflows/machine/instance-facts'),
  decides('workflows/machine/launch-record', ...LAUNCH),
  decides('workflows/machine/phases/failed'),
  decides('workflows/machine/phases/paused'),
  decides('workflows/machine/phases/rested'),
  decides('workflows/machine/phases/up-to-date'),
  decides('workflows/machine/plan-launch', ...LAUNCH),
  decides('workflows/machine/run-phases'),
  decides('workflows/machine/step-retry', ...LAUNCH),
  decides('workflows/retry', 'workflows/retry', 'workflows/machine-set/refusals'),
  decides('workflows/safety/with-outage'),
  decides('workflows/settings'),
];

/** Held to it by its own tests, or by those of the files that it is a part of. */
function decides(name: string, ...tested: readonly string[]): DecisionFile {
  const tests = tested.length === 0 ? [name] : tested;
  return { file: `${name}.ts`, tests: tests.map((test) => `${test}.test.ts`) };
}
