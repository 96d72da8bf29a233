// The card of a figure of a site, with its change since the period before.
import type { Summary } from "./report";
import type { Figure } from "./sitefigures";
import { percentText } from "./time";

interface Props {
  figure: Figure;
  title: string;
  pressed: boolean;
  disabled: boolean;
  choose: () => void;
  visitor: string;
  now?: Summary;
  past?: Summary;
}

/** Card chooses its figure for the curve. */
export function Card({ figure, title, pressed, disabled, choose, visitor, now, past }: Props) {
  const value = now ? figure.value(now, visitor) : null,
    before = past ? figure.value(past, visitor) : null;
  return (
    <button class="figure" aria-pressed={pressed} disabled={disabled} onClick={choose}>
      <span class="soft">{title}</span>
      <strong>
        {now && figure.estimate?.(now, visitor) && "≈ "}
        {figure.text(value)}
      </strong>
      <Change value={value} before={before} text={figure.text} />
    </button>
  );
}

/** Change says by which part a value differs from the one before. */
function Change({
  value,
  before,
  text,
}: {
  value: number | null;
  before: number | null;
  text: Figure["text"];
}) {
  if (value === null || !before) return <small class="soft">{before === 0 ? "none before" : "\u00a0"}</small>;
  const change = (value - before) / before,
    amount = percentText(Math.abs(change));
  const [mark, word] =
    Math.abs(change) < 0.005 ? ["", "as"] : change > 0 ? ["▲ ", "more than"] : ["▼ ", "less than"];
  return (
    <small class="soft" title={`${text(before)} in the period before`}>
      <span aria-hidden="true">{mark ? mark + amount : "as before"}</span>
      <span class="away">
        {mark && amount} {word} in the period before, {text(before)}
      </span>
    </small>
  );
}
