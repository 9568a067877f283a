import { statSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Integration tests that mostly wait, and that do not mind a busy machine or others on the same servers: two of them run at
 * the same time. None of them may change how the simulated cloud treats others (outages, tokens), nor need the inventory.
 * The longest comes first: none that is begun late is waited for alone. Only the kill matrix gives way to the hostile world of
 * the other list: each of them keeps a core busy.
 */
export const SIDE_BY_SIDE = [
  'outages/outages',
  'aws/secrets',
  'observability/metrics',
  'aws/kill-on-ec2',
  'faults/kill-at-replacement',
  'lifecycle/heal-by-reboot',
  'lifecycle/stopped-node',
  'lifecycle/machine-set',
  'lifecycle/roll',
  'bench/bench',
  'autoscaler/runner',
  'lifecycle/roll-adopted',
  'cli/commands',
  'lifecycle/machine-trouble',
  'lifecycle/machine-class',
  'api/install',
  'ui/temporal-ui',
  'hostile/bad-input',
  'lifecycle/drain',
  'lifecycle/heal',
  'lifecycle/drain-together',
  'lifecycle/unnoticed-drain',
  'lifecycle/control-plane',
  'cli/operations',
  'lifecycle/machine-deletion',
  'aws/take-over',
  'aws/reboot',
  'api/world-conformance',
  'lifecycle/machine-set-refusals',
  'external/temporal-profiles',
  'aws/load-balancers',
  'cli/rollouts',
  'simulation/temporal-conformance',
  'aws/cloud-conformance',
  'lifecycle/copied-status',
  'lifecycle/machine-set-autoscaler',
  'lifecycle/autoscaler-contract',
  'observability/roles',
  'observability/late-temporal',
  'watcher/two-watchers',
].map(pathOf);

/**
 * Those that do not mind a busy machine either, but have the servers to themselves: they change how the cloud treats all,
 * need the inventory, or install; two are here for the lanes to be of one length. They run one by one beside the ones above. The
 * kill matrix comes last, when the one on EC2 is over.
 */
export const ONE_BY_ONE = [
  'aws/hostile-world',
  'cli/stalls',
  'deploy/installation',
  'packed/packed-bin',
  'hello-kind/hello-kind',
  'external/start-external',
  'watcher/upkeep',
  'lifecycle/lost-record',
  'lifecycle/instance-gone',
  'doctor/doctor',
  'cli/health-checks',
  'faults/kill-at-reboot',
  'faults/kill-at-every-request',
].map(pathOf);

// All others run when these are done, one after another: they measure times and writes, or keep the machine busy by themselves.

const IN_ORDER = [...SIDE_BY_SIDE, ...ONE_BY_ONE];

/** Jest's order of test files: that of the lists; of the others the larger comes first, as by default. */
export default class LaneOrder {
  sort(tests) {
    return [...tests].sort((a, b) => placeOf(a) - placeOf(b) || statSync(b.path).size - statSync(a.path).size);
  }

  /** Nothing is remembered of a run: the next one has the same order. */
  cacheResults() {}
}

function placeOf({ path, context }) {
  const place = IN_ORDER.indexOf(relative(context.config.rootDir, path));
  return place < 0 ? IN_ORDER.length : place;
}

function pathOf(name) {
  return `test/integration/${name}.test.ts`;
}
