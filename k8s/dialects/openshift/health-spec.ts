import type { MachineHealthCheckObject } from '../../api/machine.openshift.io/machine-health-check.ts';
import { noDuration, readConditionRules, type WrittenRule } from '../../model/condition-rules.ts';
import { parseDuration } from '../../model/duration.ts';
import type {
  ConditionRule,
  HealthLimits,
  MachineHealthCheck,
  RemediationStep,
  Share,
} from '../../model/machine-health-check.ts';
import { EXTERNAL_REMEDIATION_ANNOTATION } from '../../model/health-claim.ts';
import { isTemplateKind } from '../../model/remediation-template.ts';
import { problemOfSelector } from '../../selector.ts';
import { given, unlessEmpty } from '../../../providers/given.ts';

type Spec = MachineHealthCheckObject['spec'];
type Steps = NonNullable<NonNullable<Spec['remediation']>['steps']>;

/** As it is stored: written under another definition, it lacks even what the API server adds. */
export type WrittenHealthSpec = Pick<Spec, 'selector'> & Partial<Spec>;

/** What a check's spec says. */
export type HealthSpec = Pick<MachineHealthCheck, 'selector' | 'nodeRules' | 'machineRules' | 'limits' | 'remediation'>;

const MAX_UNHEALTHY: Share = { percent: 100 };
const NODE_STARTUP_TIMEOUT_MS = 600_000;
const DRAIN_TIMEOUT_MS = 600_000;
const MAX_REBOOTS = 2;
const MAX_IN_FLIGHT: Share = { percent: 20 };
const STORM_THRESHOLD: Share = { percent: 50 };
const STORM_WINDOW_MS = 300_000;
const REPLACE: RemediationStep = { action: 'Replace', drainTimeoutMs: DRAIN_TIMEOUT_MS, onTimeout: 'Wait' };

/** Annotations by which people, and we, steer machines: who may write checks may not write those by them. */
const STEERING = /^([^/]*\.)?(millwright\.dev|machine\.openshift\.io|cluster\.x-k8s\.io)\//;

/** Of a check whose spec cannot be read: it selects nothing. */
export const HELD_SPEC: HealthSpec = {
  selector: {},
  machineRules: [],
  limits: { maxUnhealthy: MAX_UNHEALTHY, nodeStartupTimeoutMs: NODE_STARTUP_TIMEOUT_MS },
  remediation: {
    steps: [REPLACE],
    maxInFlight: MAX_IN_FLIGHT,
    stormThreshold: STORM_THRESHOLD,
    stormWindowMs: STORM_WINDOW_MS,
  },
};

/** Group and version of a template. */
const TEMPLATE_VERSION = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/v[a-z0-9]+$/;

/** Reads a spec of the right shape; what its values are has not been checked where it was stored under another definition. */
export function readHealthSpec(
  written: WrittenHealthSpec,
): { readonly spec: HealthSpec; readonly problem?: undefined } | { readonly problem: string } {
  const { selector, unhealthyConditions = [], unhealthyMachineConditions = [], remediation = {} } = written;
  const values = new Values();
  values.note(problemOfSelector(selector, 'spec.selector'));
  const nodeRules = values.rules('spec.unhealthyConditions', unhealthyConditions);
  const path = 'spec.remediation';
  const spec: HealthSpec = {
    selector,
    ...given({ nodeRules: unlessEmpty(nodeRules) }),
    machineRules: values.rules('spec.unhealthyMachineConditions', unhealthyMachineConditions),
    limits: readLimits(values, written),
    remediation: {
      steps: readTemplate(values, written) ?? readSteps(values, remediation.steps ?? []),
      maxInFlight: values.share(`${path}.maxInFlight`, remediation.maxInFlight, MAX_IN_FLIGHT, 1),
      stormThreshold: values.share(`${path}.stormThreshold`, remediation.stormThreshold, STORM_THRESHOLD, 1),
      stormWindowMs: values.duration(`${path}.stormWindow`, remediation.stormWindow, 1) ?? STORM_WINDOW_MS,
    },
  };
  return values.problem === undefined ? { spec } : { problem: values.problem };
}

/**
 * The same, of a check that has its machines marked for Metal3, for as long as that takes. As in the Machine API one that is Failed is
 * deleted instead, as its own steps say; and where there is a template, that counts.
 */
export function forBareMetal(spec: HealthSpec): HealthSpec {
  const { remediation } = spec;
  if (remediation.steps.some(({ action }) => action === 'Template')) return spec;
  const replace = remediation.steps.find(({ action }) => action === 'Replace') ?? REPLACE;
  const mark: RemediationStep = { action: 'Annotate', key: EXTERNAL_REMEDIATION_ANNOTATION, value: '' };
  return { ...spec, remediation: { ...remediation, steps: [mark, replace] } };
}

function readLimits(values: Values, written: WrittenHealthSpec): HealthLimits {
  const { maxUnhealthy, unhealthyInRange, nodeStartupTimeout } = written;
  const timeout = nodeStartupTimeout === '0' ? '0s' : nodeStartupTimeout;
  return {
    maxUnhealthy: values.share('spec.maxUnhealthy', maxUnhealthy, MAX_UNHEALTHY, 0),
    ...given({ unhealthyRange: values.range('spec.unhealthyInRange', unhealthyInRange) }),
    nodeStartupTimeoutMs: values.duration('spec.nodeStartupTimeout', timeout, 0) ?? NODE_STARTUP_TIMEOUT_MS,
  };
}

/** A check that names a template does nothing else. */
function readTemplate(
  values: Values,
  { remediationTemplate: template, remediation }: WrittenHealthSpec,
): readonly RemediationStep[] | undefined {
  if (template === undefined) return undefined;
  const { apiVersion, kind, name } = template;
  const path = 'spec.remediationTemplate';
  if (!TEMPLATE_VERSION.test(apiVersion)) {
    values.note(`${path}.apiVersion is '${apiVersion}': write a group and a version, e.g. example.com/v1`);
  }
  if (!isTemplateKind(kind)) values.note(`${path}.kind is '${kind}': it has to end with Template`);
  if (name === '') values.note(`${path}.name is missing`);
  if (remediation?.steps !== undefined) {
    values.note('spec has both remediationTemplate and remediation.steps: one of them is what is done');
  }
  return [{ action: 'Template', template: { apiVersion, kind, name } }];
}

function readSteps(values: Values, steps: Steps): readonly RemediationStep[] {
  const read = steps.flatMap((step, index) => readStep(values, step, `spec.remediation.steps.${index}`));
  const end = read.findIndex(({ action }) => action === 'Replace');
  if (end !== -1 && end < read.length - 1) {
    values.note(`spec.remediation.steps.${end} is Replace, which ends the list: no step may come after it`);
  }
  return read.length === 0 ? [REPLACE] : read;
}

function readStep(values: Values, step: Steps[number], path: string): RemediationStep[] {
  // Older definitions knew other actions, and later ones may.
  const { action, key = '', value = '', timeout, drainTimeout, onTimeout = 'Wait', maxReboots } = step;
  switch (action) {
    case 'Replace': {
      const drainTimeoutMs = values.duration(`${path}.drainTimeout`, drainTimeout, 1) ?? DRAIN_TIMEOUT_MS;
      return [{ action, drainTimeoutMs, onTimeout }];
    }
    case 'Reboot': {
      const drainTimeoutMs = values.duration(`${path}.drainTimeout`, drainTimeout, 1) ?? DRAIN_TIMEOUT_MS;
      return [{ action, drainTimeoutMs, maxReboots: values.count(`${path}.maxReboots`, maxReboots, MAX_REBOOTS) }];
    }
    case 'Annotate': {
      if (STEERING.test(key)) {
        values.note(`${path}.key is '${key}', which steers machines: it is not for a check to write`);
      }
      if (key === '') values.note(`${path}.key is missing: the action Annotate takes the key of an annotation`);
      return [{ action, key, value, ...given({ timeoutMs: values.duration(`${path}.timeout`, timeout, 1) }) }];
    }
    default:
      values.note(`${path}.action is '${String(action)}', which is none of Replace, Reboot and Annotate`);
      return [];
  }
}

/** Reads single values, and keeps the first thing that is wrong with any of them. */
class Values {
  problem: string | undefined;

  note(problem: string | undefined): void {
    this.problem ??= problem;
  }

  rules(path: string, written: readonly WrittenRule[]): readonly ConditionRule[] {
    const read = readConditionRules(written, path);
    if ('rules' in read) return read.rules;
    this.note(read.problem);
    return [];
  }

  /** In milliseconds; undefined: it is not there. */
  duration(path: string, text: string | undefined, least: number): number | undefined {
    if (text === undefined) return undefined;
    const ms = parseDuration(text);
    if (ms === undefined) this.note(`${path} ${noDuration(text)}`);
    else if (ms < least) this.note(`${path} is '${text}', and has to be more than 0`);
    return ms;
  }

  /** From 1 to 10. */
  count(path: string, value: number | undefined, fallback: number): number {
    if (value === undefined) return fallback;
    const isCount = Number.isInteger(value) && value >= 1 && value <= 10;
    if (!isCount) this.note(`${path} is '${String(value)}': write a number from 1 to 10`);
    return isCount ? value : fallback;
  }

  share(path: string, value: unknown, fallback: Share, least: number): Share {
    if (value === undefined) return fallback;
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : JSON.stringify(value);
    const [, number = '', percent] = /^(\d{1,9})(%)?$/.exec(text) ?? [];
    const count = Number(number);
    if (number === '' || count < least || (percent !== undefined && count > 100)) {
      this.note(`${path} is '${text}': write a number, ${least} or more, or a share from ${least}% to 100%`);
    }
    return percent === undefined ? { count } : { percent: count };
  }

  range(path: string, text: string | undefined): HealthLimits['unhealthyRange'] {
    if (text === undefined) return undefined;
    const [, from = '', to = ''] = /^\[(\d{1,9})-(\d{1,9})\]$/.exec(text) ?? [];
    if (from === '' || Number(from) > Number(to)) {
      this.note(`${path} is '${text}': write two numbers in brackets, the smaller one first, e.g. [3-5]`);
    }
    return { from: Number(from), to: Number(to) };
  }
}
