// The goals of a site: the visits that met them, and of a goal of several steps how many met each.
import { useState } from "preact/hooks";
import { numberText } from "./number";
import { countText, dayText, percentText } from "./time";
import type { Goal, Total } from "./api";

interface Props {
  goals: Goal[];
  visits: Total;
  utc: boolean;
}

export function Goals({ goals, visits, utc }: Props) {
  const [chosen, choose] = useState<string>();
  const met = (measure: string) => visits.measures[measure]?.sum ?? 0;
  const values = goals.some((g) => g.value);
  const goal = goals.find((g) => g.name === chosen);
  const partial = visits.partial?.filter((p) => goals.some((g) => g.steps.at(-1)!.measure === p.field)) ?? [];
  return (
    <section aria-label="Goals">
      <h2>Goals</h2>
      <table class="values">
        <thead>
          <tr>
            <th scope="col">Goal</th>
            <th scope="col" class="number">
              Visits
            </th>
            <th scope="col" class="number">
              Rate
            </th>
            {values && (
              <th scope="col" class="number">
                Value
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {goals.map((g) => {
            const measure = g.steps.at(-1)!.measure,
              rate = visits.events ? met(measure) / visits.events : null;
            return (
              <tr key={g.name}>
                <th scope="row">
                  <span class="share" style={{ width: `${100 * (rate ?? 0)}%` }} />
                  {g.steps.length > 1 ? (
                    <button
                      class="tab"
                      aria-expanded={g.name === chosen}
                      onClick={() => choose(g.name === chosen ? undefined : g.name)}
                    >
                      {g.name}
                    </button>
                  ) : (
                    <span title={`${g.name}: ${g.steps[0].match}`}>{g.name}</span>
                  )}
                </th>
                <td class="number">{countText(met(measure))}</td>
                <td class="number soft">{percentText(rate)}</td>
                {values && <td class="number">{g.value ? numberText(met(g.value), 2) : ""}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
      {goal && <Funnel goal={goal} met={met} visits={visits.events} />}
      {partial.map((p) => (
        <p class="soft" key={p.field}>
          {p.field.slice("goal_".length)} was declared later:{" "}
          {p.wholeFrom
            ? `it is whole from ${dayText(Date.parse(p.wholeFrom), utc, true)}.`
            : "it is not whole in this period."}
        </p>
      ))}
    </section>
  );
}

interface FunnelProps {
  goal: Goal;
  met: (measure: string) => number;
  visits: number;
}

/**
 * Funnel lists the steps of a goal: the visits that met each, of all and of those that met the step
 * before.
 */
function Funnel({ goal, met, visits }: FunnelProps) {
  return (
    <table class="values steps" aria-label={`Steps of ${goal.name}`}>
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col" class="number">
            Visits
          </th>
          <th scope="col" class="number">
            Went on
          </th>
        </tr>
      </thead>
      <tbody>
        {goal.steps.map(({ match, measure }, i) => {
          const here = met(measure),
            before = i ? met(goal.steps[i - 1].measure) : visits;
          return (
            <tr key={measure}>
              <th scope="row">
                <span class="share" style={{ width: `${visits ? (100 * here) / visits : 0}%` }} />
                <span title={match}>
                  {i + 1}. {match}
                </span>
              </th>
              <td class="number">{countText(here)}</td>
              <td class="number soft">{percentText(before ? here / before : null)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
