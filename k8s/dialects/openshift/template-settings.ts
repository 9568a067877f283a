import type { MachineObject } from '../../api/machine.openshift.io/machine.ts';
import { mergePatchOf } from '../../merge-patch.ts';
import type { TemplateSettings } from '../../model/template-settings.ts';
import { given, unlessEmpty } from '../../../providers/given.ts';

const { fromEntries, values } = Object;

/** The fields of a Machine's spec that are changed while the machine is there, which `k8s/policies/rollout-plan.yaml` lists as well. The others take another machine. */
export const CHANGED_IN_PLACE = [
  'metadata',
  'taints',
  'startupTaints',
  'drain',
  'readinessGates',
  'deletionPolicy',
  'creationTimeoutSeconds',
] as const;

type Settings = Pick<MachineObject['spec'], (typeof CHANGED_IN_PLACE)[number]>;
type StoredTaint = NonNullable<Settings['taints']>[number];

export function settingsOf(spec: Settings | undefined): TemplateSettings {
  const { metadata, taints = [], startupTaints = [], drain = {}, readinessGates = [], ...more } = spec ?? {};
  const { deletionPolicy, creationTimeoutSeconds } = more;
  return {
    labels: { ...metadata?.labels },
    annotations: { ...metadata?.annotations },
    taints: byKey(taints),
    startupTaints: byKey(startupTaints),
    drain: { ...drain },
    readinessGates: fromEntries(readinessGates.map((gate) => [gate.conditionType, gate])),
    fields: given({ deletionPolicy, creationTimeoutSeconds }),
  };
}

/** The merge patch of a spec that gives it these settings; empty: it has them. */
export function patchSettings(
  spec: Settings | undefined,
  settings: TemplateSettings,
): Readonly<Record<string, unknown>> {
  return mergePatchOf(pick(spec), specOfSettings(settings));
}

/** The spec with these settings, and none of those that it has. */
export function withSettings(
  spec: Readonly<Record<string, unknown>>,
  settings: TemplateSettings,
): Readonly<Record<string, unknown>> {
  return { ...withoutSettings(spec), ...specOfSettings(settings) };
}

function specOfSettings(settings: TemplateSettings): Readonly<Record<string, unknown>> {
  const { labels, annotations, taints, startupTaints, drain, readinessGates, fields } = settings;
  return {
    ...given({
      metadata: unlessEmpty(given({ labels: unlessEmpty(labels), annotations: unlessEmpty(annotations) })),
      taints: unlessEmpty(values(taints)),
      startupTaints: unlessEmpty(values(startupTaints)),
      drain: unlessEmpty(drain),
      readinessGates: unlessEmpty(values(readinessGates)),
    }),
    ...fields,
  };
}

/** What of a template makes other machines: a taint that evicts pods is not put on Nodes that are in use. */
export function rolledPartOf(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const rest = withoutSettings(spec);
  const evicting = ((spec as Settings).taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  const taints = fromEntries(evicting.map(({ key, value = '' }) => [key, value]));
  return evicting.length === 0 ? rest : { ...rest, taints };
}

function withoutSettings(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return fromEntries(Object.entries(spec).filter(([name]) => !CHANGED_IN_PLACE.some((one) => one === name)));
}

function byKey(taints: readonly StoredTaint[]): Readonly<Record<string, StoredTaint>> {
  return fromEntries(taints.map((taint) => [`${taint.key}:${taint.effect}`, taint]));
}

function pick(spec: Settings | undefined): Readonly<Record<string, unknown>> {
  return fromEntries(CHANGED_IN_PLACE.map((name) => [name, spec?.[name]]));
}
