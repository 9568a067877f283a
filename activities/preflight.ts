import { tokenOf } from '../k8s/launch-token.ts';
import type { MachineDeployment } from '../k8s/model/machine-deployment.ts';
import { asKnownToSets, setOfTemplate } from '../k8s/model/template-hash.ts';
import { ProviderError, type RetryClass } from '../providers/provider-error.ts';
import type { CloudFailure } from '../workflows/machine/launch-record.ts';
import type {
  MachineDeploymentActivities,
  PreflightAnswer,
} from '../workflows/machine-deployment/machine-deployment-activities.ts';
import { createAskOn } from './ask-on.ts';
import { ownerOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { inWordsOfItsSource, type ReadMachine } from './effective-spec.ts';
import { changedSinceLook, cloudFailureOf, refuseForeign } from './failures.ts';
import { futureMachineOf, futureSetOf } from './future-machine.ts';
import { heldByBudgets, nodesDrainedFor } from './held-by-budgets.ts';
import { machinesOfDeployment } from './machines-of-deployment.ts';
import { setsOfDeployment } from './sets-of-deployment.ts';
import { placeKey } from './place.ts';
import { readStored } from './read-stored.ts';
import { readUserData } from './user-data.ts';
import { given } from '../providers/given.ts';

/** Answers that somebody has to mend something for; no room is none of these, it is waited for in the rollout. */
const REFUSALS: ReadonlySet<RetryClass> = new Set(['invalid', 'denied']);

/** Asks before a rollout touches anything. */
export function createPreflight(deps: MachineDeps): Pick<MachineDeploymentActivities, 'preflight'> {
  const { kube, apis, providers, clock, slowPlaces } = deps;
  const askCloud = createAskOn<PreflightAnswer>(clock, slowPlaces);

  return {
    async preflight(request) {
      refuseForeign(deps, request);
      const { ref, generation, revision, hasNew = false } = request;
      const kind = apis.kindOf('machineDeployment', ref);
      const stored = await readStored(kube, kind.resource, ref);
      const deployment = stored && kind.read(stored).machineDeployment;
      if (deployment?.generation !== generation) throw changedSinceLook(ref);
      if (hasNew) return withBudgets(deployment);
      const { machine, spec } = await futureMachineOf(deps, futureSetOf(deps, deployment, revision), ref);
      if (spec.problem !== undefined) {
        return { outcome: 'refused', message: `${spec.problem.field}: ${spec.problem.message}` };
      }
      const answer = await tellingFailures(spec, () => ask(deployment, revision, { machine, spec }));
      return answer.outcome === 'passed' ? withBudgets(deployment) : answer;
    },
  };

  async function ask(
    { ref, templateHash }: MachineDeployment,
    revision: number,
    { machine, spec }: ReadMachine,
  ): Promise<PreflightAnswer> {
    if (machine.clusterName === '') {
      const { clusterField } = apis.kindOf('machine', machine.ref);
      throw new ProviderError('InvalidArgument', `${clusterField} is missing: it names the cluster`);
    }
    const { providerSpec } = spec;
    const provider = providers.providerFor(providerSpec);
    const owner = ownerOf(deps, ref, machine.clusterName);
    const place = placeKey({ provider, credentials: provider.credentialsOf({ owner, providerSpec }) });
    const { answer } = await askCloud(
      place,
      `${ref.uid} ${templateHash} ${revision}`,
      async (): Promise<PreflightAnswer> => {
        const parameters = await provider.resolve({ owner, providerSpec });
        const secret = await readUserData(deps, ref, parameters.userDataSecret, (text) =>
          inWordsOfItsSource(text, spec),
        );
        if (secret?.outcome === 'missing') return { outcome: 'refused', message: secret.message };
        const userData = given({ userData: secret?.content });
        await provider.dryRun?.({ owner, token: tokenOf(ref.uid, revision), parameters, ...userData });
        return { outcome: 'passed' };
      },
    );
    return answer;
  }

  /** Drains wait for budgets; whether they do shows before the first one. */
  async function withBudgets(deployment: MachineDeployment): Promise<PreflightAnswer> {
    // People delete its machines when that suits them: nothing is drained for the rollout.
    if (deployment.strategy.type === 'OnDelete') return { outcome: 'passed' };
    const sets = await setsOfDeployment(deps, deployment);
    const newest = setOfTemplate(sets, asKnownToSets(deployment, sets))?.ref.uid;
    const machines = await machinesOfDeployment(deps, deployment, sets);
    const nodes = nodesDrainedFor(machines, ({ controller }) => controller?.uid !== newest);
    const held = await heldByBudgets(kube, nodes);
    return held === undefined ? { outcome: 'passed' } : { outcome: 'passed', message: held };
  }
}

async function tellingFailures(
  spec: ReadMachine['spec'],
  run: () => Promise<PreflightAnswer>,
): Promise<PreflightAnswer> {
  try {
    return await run();
  } catch (error) {
    const failure: CloudFailure = cloudFailureOf(error);
    if (REFUSALS.has(failure.retryClass) || failure.code === 'FailedPrecondition') {
      return { outcome: 'refused', message: inWordsOfItsSource(failure.message, spec) };
    }
    // That there is no room the Machines will say, which wait for it.
    if (failure.retryClass === 'exhausted') return { outcome: 'passed' };
    return { outcome: 'later', failure };
  }
}
