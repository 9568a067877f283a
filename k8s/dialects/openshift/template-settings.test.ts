import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { NO_SETTINGS, SETTINGS_ANNOTATION, textOfSettings } from '../../model/template-settings.ts';
import { aMachine } from '../../../test/world/builders/a-machine.ts';
import { machine } from './machine.ts';
import { templateHashOf, templateOf } from './machine-template.ts';
import { CHANGED_IN_PLACE, patchSettings, settingsOf } from './template-settings.ts';

const PROVIDER_SPEC = { value: { kind: 'Simulated' } };
const EVICTS = { key: 'evicts', effect: 'NoExecute' } as const;
const KEEPS = { key: 'keeps', effect: 'NoSchedule' } as const;
const hash = (spec: object) => templateHashOf(templateOf({ spec: { providerSpec: PROVIDER_SPEC, ...spec } }));

describe('which template is another one', () => {
  it.each([
    ['labels and annotations of the Node', { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } }],
    ['taints that evict no pods', { taints: [KEEPS] }],
    ['taints for the beginning, also such as evict', { startupTaints: [EVICTS] }],
    ['readiness gates', { readinessGates: [{ conditionType: 'Tested' }] }],
    ['how the Node is drained', { drain: { timeout: '1h' } }],
    ['how it is deleted, and how long it may take to join', { deletionPolicy: 'unsafe', creationTimeoutSeconds: 60 }],
  ])('is not told by %s', (_what, spec) => {
    expect(hash(spec)).toBe(hash({}));
  });

  it.each([
    ['what is launched', { providerSpec: { value: { kind: 'Other' } } }],
    ['a taint that evicts pods', { taints: [KEEPS, EVICTS] }],
    ['lifecycle hooks', { lifecycleHooks: { preDrain: [{ name: 'abc', owner: 'def' }] } }],
  ])('is told by %s', (_what, spec) => {
    expect(hash(spec)).not.toBe(hash({}));
  });

  it('is not told by the order of taints that evict pods', () => {
    const other = { ...EVICTS, key: 'other' };
    expect(hash({ taints: [EVICTS, other] })).toBe(hash({ taints: [other, EVICTS] }));
  });
});

it('is known to the policy that tells what a dry run comes to', async () => {
  const text = await readFile(new URL('../../policies/rollout-plan.yaml', import.meta.url), 'utf8');
  const [policy] = parseAllDocuments(text).map((document) => document.toJS() as RolloutPlan);
  const settings = policy?.spec.variables.find(({ name }) => name === 'settings')?.expression;
  expect(settings).toBe(`[${CHANGED_IN_PLACE.map((name) => `'${name}'`).join(', ')}]`);
});

interface RolloutPlan {
  readonly spec: { readonly variables: readonly { readonly name: string; readonly expression: string }[] };
}

it('names a template as the releases before this one do: the sets of deployments go by that', () => {
  const metadata = { labels: { pool: 'p', 'machine-template-hash': 'none of it' }, annotations: { note: 'n' } };
  const spec = {
    metadata: { labels: { tier: 'x' } },
    providerSpec: { value: { kind: 'SimulatedMachineProviderSpec', instanceType: 'sim.small' } },
    taints: [KEEPS, EVICTS],
    lifecycleHooks: { preDrain: [{ name: 'abc', owner: 'def' }] },
  };
  expect(templateHashOf(templateOf({ metadata, spec }))).toBe('815f1851ba');
  expect(hash({})).toBe('a182109cdc');
});

describe('the patch of a spec', () => {
  it('gives it settings, and takes off what is not among them', () => {
    const spec = { metadata: { labels: { a: '1', b: '2' } }, taints: [KEEPS], deletionPolicy: 'unsafe' as const };
    const wanted = { ...settingsOf(spec), labels: { a: '2' }, taints: {}, fields: {}, drain: { timeout: '1h' } };
    expect(patchSettings(spec, wanted)).toEqual({
      metadata: { labels: { a: '2', b: null } },
      taints: null,
      deletionPolicy: null,
      drain: { timeout: '1h' },
    });
    expect(patchSettings(spec, settingsOf(spec))).toEqual({});
    expect(patchSettings(undefined, NO_SETTINGS)).toEqual({});
  });
});

describe('what a set writes to its Machine', () => {
  const wanted = settingsOf({ metadata: { labels: { a: '1' } }, deletionPolicy: 'graceful' });

  it('is what the template says otherwise, and that it did', () => {
    const patch = machine.writeSettings?.(aMachine(), wanted, 'rolling');
    expect(patch).toEqual({
      metadata: { annotations: { [SETTINGS_ANNOTATION]: textOfSettings(wanted), 'millwright.dev/rollout': 'rolling' } },
      spec: { metadata: { labels: { a: '1' } }, deletionPolicy: 'graceful' },
    });
  });

  it('is only the word of a rollout where it has no settings to follow', () => {
    expect(machine.writeSettings?.(aMachine(), undefined, undefined)).toEqual({
      metadata: { annotations: { 'millwright.dev/rollout': null } },
      spec: {},
    });
  });

  it('is no higher policy of a deletion that is under way, which the API server would refuse', () => {
    const going = (deletionPolicy: 'unsafe' | 'forced', more: object) =>
      machine.writeSettings?.(aMachine({ spec: { deletionPolicy, ...more } }), wanted, undefined).spec;
    expect(going('forced', { delete: true })).toEqual({ metadata: { labels: { a: '1' } } });
    expect(going('forced', {})).toMatchObject({ deletionPolicy: 'graceful' });
  });
});
