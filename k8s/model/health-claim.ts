import { isObject } from '../json.ts';
import type { HealthClaim } from './machine-health-check.ts';
import { isTemplateKind, type RemediationTemplate } from './remediation-template.ts';

/** On a Machine: the check that remediates it, as its name and its uid. The first one that acts has it. */
export const REMEDIATED_BY_ANNOTATION = 'millwright.dev/remediated-by';
/**
 * On a Machine, beside the claim: what its check asked other programs for, as JSON of {@link AskedOfOthers}. All of it is taken back, also
 * what a check that was edited, or another one that is gone, had asked for.
 */
export const ASKED_OF_OTHERS_ANNOTATION = 'millwright.dev/asked-of-others';
/** On a Machine, with any value: another program remediates it. Metal3's, which the Machine API writes for it. */
export const EXTERNAL_REMEDIATION_ANNOTATION = 'host.metal3.io/external-remediation';

/** Of a claim: a name and a uid, as Kubernetes has them. */
const LONGEST = 300;

/** The annotation's value. */
export function writeHealthClaim({ name, uid }: HealthClaim): string {
  return `${name} ${uid}`;
}

/** Undefined: it is no claim, and nobody's. */
export function readHealthClaim(value: string): HealthClaim | undefined {
  const [name = '', uid = '', ...more] = value.split(' ');
  const isOne = name !== '' && uid !== '' && more.length === 0 && value.length <= LONGEST;
  return isOne ? { name, uid } : undefined;
}

/** By what other programs were asked to remedy a Machine. */
export interface AskedOfOthers {
  /** Annotations of the Machine, by their keys. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of each an object was made. */
  readonly templates: readonly RemediationTemplate[];
}

/** What was asked for before, if anything was, and this. */
export function withAsked(value: string | undefined, { annotations, templates }: AskedOfOthers): AskedOfOthers {
  const before = readAsked(value);
  const isNew = (one: RemediationTemplate): boolean => !before.templates.some((known) => isSame(known, one));
  return {
    annotations: { ...before.annotations, ...annotations },
    templates: [...before.templates, ...templates.filter(isNew)],
  };
}

function isSame(a: RemediationTemplate, b: RemediationTemplate): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind && a.name === b.name;
}

/** The annotation's value. */
export function writeAsked(asked: AskedOfOthers): string {
  return JSON.stringify(asked);
}

/** What somebody else wrote there asks for nothing. */
export function readAsked(value = '{}'): AskedOfOthers {
  const { annotations, templates } = objectOf(value);
  return {
    annotations: Object.fromEntries(
      Object.entries(isObject(annotations) ? annotations : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
    templates: Array.isArray(templates) ? templates.filter(isTemplate) : [],
  };
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isTemplate(value: unknown): value is RemediationTemplate {
  if (!isObject(value)) return false;
  const { apiVersion, kind, name } = value;
  return typeof apiVersion === 'string' && typeof name === 'string' && typeof kind === 'string' && isTemplateKind(kind);
}
