import { describe, expect, it } from '@jest/globals';
import { systemClock } from './clock.ts';
import { ProviderError } from './provider-error.ts';
import { createProviderRegistry } from './registry.ts';
import { createSimulatedProvider } from './simulated/simulated-provider.ts';

const simulated = createSimulatedProvider({ clock: systemClock, endpoint: 'http://127.0.0.1:1' });
const registry = createProviderRegistry([simulated]);

describe('the registry', () => {
  it('finds a provider by the kind of a spec, by a providerID, and by name', () => {
    expect(registry.providerFor({ kind: 'SimulatedMachineProviderConfig' })).toBe(simulated);
    expect(registry.providerForProviderID('simulated:///zone-a/i-1')).toBe(simulated);
    expect(registry.byName('simulated')).toBe(simulated);
  });

  it.each(['aws:///us-east-1a/i-1', 'simulated', '', '://x'])('knows nobody for the providerID "%s"', (providerID) => {
    expect(registry.providerForProviderID(providerID)).toBeUndefined();
  });

  it.each([
    [{ kind: 'AWSMachineProviderConfig' }, 'providerSpec.value.kind', /"AWSMachineProviderConfig" is of no provider/],
    [{ kind: 7 }, 'providerSpec.value.kind', /7 is of no provider/],
    [{}, 'providerSpec.value.kind', /is missing; there is: SimulatedMachineProviderConfig/],
    [undefined, 'providerSpec.value', /must be an object/],
    [[], 'providerSpec.value', /must be an object/],
  ])('refuses the spec %j and names %s', (providerSpec, field, message) => {
    const refusal = catchError(() => registry.providerFor(providerSpec));
    expect(refusal).toMatchObject({ code: 'InvalidArgument', details: { field } });
    expect(refusal.message).toMatch(message);
  });

  it('refuses two providers for one kind', () => {
    expect(() => createProviderRegistry([simulated, { ...simulated, name: 'other' }])).toThrow(
      'two providers, simulated and other, claim the kind SimulatedMachineProviderConfig',
    );
  });
});

function catchError(run: () => unknown): ProviderError {
  try {
    run();
  } catch (error) {
    if (error instanceof ProviderError) return error;
  }
  throw new Error('there was no ProviderError');
}
