import type { Play } from './play.ts';

/** Runs that showed a defect once, each with what it was. They are played in every `npm test`. */
export const REGRESSIONS: readonly (Pick<Play, 'seed' | 'scenario'> & { readonly was: string })[] = [
  {
    scenario: 'up',
    seed: '1',
    was: "a MachineSet looked at its Machines thirty times a second for as long as the worker's clock was behind Temporal's",
  },
  {
    scenario: 'hostile',
    seed: 'a-13',
    was: 'a deadline that was counted right after a call to launch was another one in a replay, where the step after it had taken longer than a workflow task may',
  },
  {
    scenario: 'hostile',
    seed: 'b-5',
    was: 'the same, where the call made its instance: from when on its Node may take so long was another time in a replay',
  },
  {
    scenario: 'hostile',
    seed: 'b-104',
    was: 'a Machine went by force while no watcher was there: its workflow, which had to report the instance, heard of it six hours later',
  },
  {
    scenario: 'hostile',
    seed: 'run-51',
    was: 'a Machine went by force whose workflow had begun while it was paused: its instance was not reported',
  },
];
