import type { KubeClient } from '../client.ts';
import { APIS, type ApiRegistry } from '../dialects/registry.ts';
import { isNotServed } from '../kube-error.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  type Resource,
} from '../resources.ts';
// oxlint-disable-next-line no-restricted-imports -- the default, for programs that have no other clock
import { systemClock, type Clock } from '../../providers/clock.ts';
import {
  describeWriters,
  INSTALL_FIELD_MANAGER,
  isOurs,
  isTakeOverUnfinished,
  listCrdsOfGroups,
  nameGroups,
  TAKE_OVER_ANNOTATION,
  TAKE_OVER_DONE,
  TAKE_OVER_UNFINISHED,
  type CustomResourceDefinition,
} from './api-group.ts';
import { ForeignApiError, UnsupportedClusterError } from './install-errors.ts';
import { refuseWhileControllersRun } from './known-controllers.ts';
import { readCrdManifests, readPolicyManifests, type Manifest, type PolicyManifest } from './manifests.ts';
import { allowClusters } from './allow-clusters.ts';
import { pauseAll } from './pause.ts';
import { namesOfPaused, PAUSED_ROLES } from './paused-roles.ts';
import { waitUntilEstablished, waitUntilPolicyInForce } from './wait-in-force.ts';
import { given } from '../../providers/given.ts';

export interface InstallOptions {
  /** What is installed. @default all that there are */
  readonly apis?: ApiRegistry;
  /** Go on where CRDs of the group are somebody else's, after a check that no known controller runs. @default false */
  readonly takeOver?: boolean;
  /** Where to tell, a line each, what is done. @default nowhere */
  readonly log?: (line: string) => void;
  /** How long each object may take to come into force, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
  /** @default the host's */
  readonly clock?: Clock;
}

export interface InstallResult {
  /** True where the API was somebody else's: its objects are paused until `resumeObjects`. */
  readonly tookOver: boolean;
  /** Objects this call paused. */
  readonly paused: number;
}

const KINDS: readonly Resource[] = [
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
];

/**
 * Applies the CRDs and the admission policies, and waits until they are in force; warns of a policy of which that cannot be
 * known. May be repeated: what is there is brought up to date.
 *
 * A take-over is ordered so that, wherever it is cut off, no CRD is ours while an object that was there before is not
 * paused: all objects are paused first; then the CRDs become ours, marked as unfinished; then what was made in between
 * is paused, and a Cluster is made for each cluster that the Machines are of, so that they may adopt their instances; last
 * the mark is set to done. The next installation finishes one that was cut off.
 *
 * Rejects with ForeignApiError, ControllerRunningError or UnsupportedClusterError before anything is changed, and with
 * InstallTimeoutError or KubeError after.
 */
export async function installInto(
  kube: KubeClient,
  { apis = APIS, takeOver = false, log = () => {}, timeoutMs = 30_000, clock = systemClock }: InstallOptions = {},
): Promise<InstallResult> {
  const patience = { clock, timeoutMs };
  const [crds, policies] = await Promise.all([readCrdManifests(apis), readPolicyManifests(apis)]);
  await refuseWithoutPolicies(kube);
  const found = await listCrdsOfGroups(kube, apis);
  const foreign = found.filter((crd) => !isOurs(crd));
  if (foreign.length > 0 && !takeOver) throw foreignApi(foreign);

  const takingOver = foreign.length > 0 || found.some(isTakeOverUnfinished);
  let paused = 0;
  if (takingOver) {
    await refuseWhileControllersRun(kube);
    paused += await pauseAll(kube, pausable(apis, found));
    log(`paused before the API is taken over: ${paused} objects`);
  }

  await applyCrds(takingOver ? TAKE_OVER_UNFINISHED : undefined);
  for (const { metadata } of crds) await waitUntilEstablished(kube, metadata.name, patience);
  if (takingOver) {
    const late = await pauseAll(kube, pausedKinds(apis));
    if (late > 0) log(`paused that were made meanwhile: ${late} objects`);
    paused += late;
    for (const api of apis.apis) await allowClusters(kube, api, log);
  }

  for (const manifest of policies) await apply(manifest);
  await Promise.all(namesOfRefusing(policies).map(waitUntilInForce));

  if (takingOver) {
    await applyCrds(TAKE_OVER_DONE);
    log(`took ${nameGroups(found)} over; its ${namesOfPaused(apis)} stay paused until \`millwright resume\``);
  }
  return { tookOver: takingOver, paused };

  async function waitUntilInForce(name: string): Promise<void> {
    const unknown = await waitUntilPolicyInForce(kube, apis, name, patience);
    if (unknown === undefined) return;
    log(
      `warning: it is not known that ${VALIDATING_ADMISSION_POLICIES.kind} ${name} is in force: ${unknown}. Until it is, the API server takes what ` +
        'it should refuse.',
    );
  }

  /** Ours, and those of the group that we do not define: these only get our mark, so that they count as taken over. */
  async function applyCrds(takeOverMark: string | undefined): Promise<void> {
    const mark = given({
      annotations: takeOverMark === undefined ? undefined : { [TAKE_OVER_ANNOTATION]: takeOverMark },
    });
    for (const crd of crds) await apply({ ...crd, metadata: { ...crd.metadata, ...mark } });
    if (takeOverMark === undefined) return;
    for (const { metadata } of found.filter(
      ({ metadata: { name } }) => !crds.some((crd) => crd.metadata.name === name),
    )) {
      await apply({ ...identityOf(CUSTOM_RESOURCE_DEFINITIONS), metadata: { name: metadata.name, ...mark } });
    }
  }

  async function apply(manifest: Manifest): Promise<void> {
    const { kind, metadata } = manifest;
    const resource = KINDS.find((known) => known.kind === kind && known.apiVersion === manifest.apiVersion);
    if (resource === undefined) throw new Error(`${kind} ${metadata.name}: not a kind that is installed`);
    await kube.apply(resource, undefined, metadata.name, manifest, { fieldManager: INSTALL_FIELD_MANAGER });
    log(`applied ${kind} ${metadata.name}`);
  }
}

function identityOf({ apiVersion, kind }: Resource): Pick<Manifest, 'apiVersion' | 'kind'> {
  return { apiVersion, kind };
}

/** Of the policies among these, whose bindings are there as well, those that refuse: another one only tells. */
function namesOfRefusing(policies: readonly PolicyManifest[]): string[] {
  return policies.flatMap(({ spec: { policyName, validationActions } }) =>
    policyName !== undefined && validationActions?.includes('Deny') === true ? [policyName] : [],
  );
}

/** What a take-over pauses. */
function pausedKinds(apis: ApiRegistry): Resource[] {
  return PAUSED_ROLES.toReversed().flatMap((role) => apis.kinds(role).map(({ resource }) => resource));
}

/** The kinds of objects there are before ours are installed. */
function pausable(apis: ApiRegistry, found: readonly CustomResourceDefinition[]): Resource[] {
  return pausedKinds(apis).filter((resource) => {
    const [group, version] = resource.apiVersion.split('/');
    const crd = found.find(({ spec }) => spec.group === group && spec.names.plural === resource.plural);
    if (crd === undefined) return false;
    if (crd.spec.versions.some(({ name, served }) => name === version && served)) return true;
    const versions = crd.spec.versions.map(({ name }) => name).join(', ');
    throw new UnsupportedClusterError(
      `CustomResourceDefinition ${crd.metadata.name} serves ${versions} and not ${version}: its objects cannot be taken ` +
        'over. Nothing was changed.',
    );
  });
}

async function refuseWithoutPolicies(kube: KubeClient): Promise<void> {
  try {
    await kube.list(VALIDATING_ADMISSION_POLICIES);
  } catch (error) {
    if (!isNotServed(error)) throw error;
    throw new UnsupportedClusterError(
      'the API server serves no ValidatingAdmissionPolicy in admissionregistration.k8s.io/v1: Kubernetes 1.30 or newer ' +
        'is needed. Nothing was changed.',
      { cause: error },
    );
  }
}

function foreignApi(foreign: readonly CustomResourceDefinition[]): ForeignApiError {
  return new ForeignApiError(
    [
      `the API ${nameGroups(foreign)} is here already, and not from Millwright:`,
      ...foreign.map((crd) => `- CustomResourceDefinition ${crd.metadata.name}, written by ${describeWriters(crd)}`),
      'Two controllers on one API are two instances per machine, so nothing was changed.',
      'To take it over, stop its controller and run `millwright install --take-over`. That checks that no known controller ' +
        'runs, marks all of its objects paused that Millwright drives, makes the definitions ours, and leaves them paused until ' +
        '`millwright resume`.',
    ].join('\n'),
  );
}
