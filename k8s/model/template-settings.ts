import { isSameJson, sortedJson } from '../json.ts';

/** What of a Machine is changed while it is there, when a template says otherwise. All else takes another machine. */
export interface TemplateSettings {
  /** Of its Node; of each, by its key, or key and effect. */
  readonly labels: Settings;
  readonly annotations: Settings;
  readonly taints: Settings;
  readonly startupTaints: Settings;
  /** How its Node is drained, by field. */
  readonly drain: Settings;
  /** By condition. */
  readonly readinessGates: Settings;
  /** Fields of the Machine itself. */
  readonly fields: Settings;
}

type Settings = Readonly<Record<string, unknown>>;

type Part = keyof TemplateSettings;

/** They are of one look of a Node with what it runs: an earlier template keeps its own. */
const NODE_PARTS: readonly Part[] = ['labels', 'annotations', 'taints', 'startupTaints'];

/** On a Machine: the settings of its MachineSet's template that were written to it last. JSON; absent: none. */
export const SETTINGS_ANNOTATION = 'millwright.dev/applied-settings';

/**
 * On a MachineSet of a deployment, while it is of an earlier template: the settings that it had when it was of the newest one, which going
 * back to it brings back. JSON; absent: it has them.
 */
export const REVISION_SETTINGS_ANNOTATION = 'millwright.dev/revision-settings';

export const NO_SETTINGS: TemplateSettings = eachPart(() => ({}));

/** The value of {@link SETTINGS_ANNOTATION}, the same for the same settings; undefined: there are none. */
export function textOfSettings(settings: TemplateSettings): string | undefined {
  const filled = Object.entries(settings).filter(([, part]) => Object.keys(part).length > 0);
  return filled.length === 0 ? undefined : sortedJson(Object.fromEntries(filled));
}

/** What was written last. What somebody has spoiled counts as nothing. */
export function settingsOfText(text: string | undefined): TemplateSettings {
  const read = parse(text ?? '');
  return eachPart((part) => ({ ...(Object(read[part]) as Settings) }));
}

/**
 * What a set of a deployment is to have, as far as it is not what makes another set.
 *
 * @param isCurrent it is of the deployment's template. One of an earlier template takes over how its machines go, and nothing of how their Nodes look.
 */
export function settingsFor(own: TemplateSettings, deployment: TemplateSettings, isCurrent: boolean): TemplateSettings {
  if (isCurrent) return deployment;
  return eachPart((part) => (NODE_PARTS.includes(part) ? own[part] : deployment[part]));
}

/**
 * What a Machine is to have: what the template says otherwise than last time. All else stays, also where somebody has changed it on
 * the Machine.
 *
 * @param present as it has them
 * @param last as its template had them when they were written to it
 * @param wanted as its template has them
 */
export function mergeSettings(
  present: TemplateSettings,
  last: TemplateSettings,
  wanted: TemplateSettings,
): TemplateSettings {
  return eachPart((part) => merge(present[part], last[part], wanted[part]));
}

function eachPart(of: (part: Part) => Settings): TemplateSettings {
  return {
    labels: of('labels'),
    annotations: of('annotations'),
    taints: of('taints'),
    startupTaints: of('startupTaints'),
    drain: of('drain'),
    readinessGates: of('readinessGates'),
    fields: of('fields'),
  };
}

function merge(present: Settings, last: Settings, wanted: Settings): Settings {
  const merged: Record<string, unknown> = { ...present };
  for (const [key, value] of Object.entries(last)) {
    if (!Object.hasOwn(wanted, key) && isSameJson(present[key], value)) delete merged[key];
  }
  for (const [key, value] of Object.entries(wanted)) {
    if (!isSameJson(last[key], value)) merged[key] = value;
  }
  return merged;
}

function parse(text: string): Settings {
  try {
    return Object(JSON.parse(text)) as Settings;
  } catch {
    return {};
  }
}
