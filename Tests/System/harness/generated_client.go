// Uses the client for Go that openapi-generator makes (generated_clients.py), and prints what it was given.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"drilldown"
)

// The problem that an error carries; an error of another kind ends the program.
func problem(err error) drilldown.Problem {
	var refusal *drilldown.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		panic(err)
	}
	return refusal.Model().(drilldown.Problem)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	address, token, name := os.Args[1], os.Args[2], os.Args[3]
	configuration := drilldown.NewConfiguration()
	configuration.Servers = drilldown.ServerConfigurations{{URL: address}}
	client := drilldown.NewAPIClient(configuration)
	context := context.WithValue(context.Background(), drilldown.ContextAccessToken, token)
	levels, details := client.LevelsAPI, client.DetailAPI

	page, _, err := levels.GetLevel(context).Limit(1).Execute()
	check(err)
	level, _, err := levels.GetLevel1(context, "Item 4").Fields("*").Execute()
	check(err)
	row := level.Rows[0]
	detail, _, err := details.GetDetail2(context, "Item 4", row.Key).Execute()
	check(err)

	tag := fmt.Sprintf("%q", detail.FieldsVersion)
	patch := details.PatchItem2(context, "Item 4", row.Key).IfMatch(tag)
	changed, _, err := patch.RequestBody(map[string]interface{}{"Subtitle": name}).Execute()
	check(err)
	_, late, err := patch.RequestBody(map[string]interface{}{"Subtitle": "late"}).Execute()
	conflict := problem(err)
	delta, _, err := levels.GetLevel1(context, "Item 4").Fields("*").Since(level.Version).Execute()
	check(err)
	updated := []interface{}{}
	for _, placed := range delta.Updated {
		updated = append(updated, placed.Row.Fields["Subtitle"])
	}

	title := "Leaf"
	leaf, _, err := levels.AddItem1(context, "Item 4").At("first").Item(drilldown.StringAsItem(&title)).Execute()
	check(err)
	fields := drilldown.ItemFields{AdditionalProperties: map[string]interface{}{"Title": "New", "Price": 2}}
	added, _, err := levels.AddItem1(context, "Item 4").Item(drilldown.ItemFieldsAsItem(&fields)).Execute()
	check(err)
	fields.AdditionalProperties["Price"] = 3
	put, _, err := details.PutItem2(context, "Item 4", "New").Item(drilldown.ItemFieldsAsItem(&fields)).Execute()
	check(err)
	move := drilldown.NewMove(leaf.Href, "/levels/")
	first := int32(0)
	move.SetAt(drilldown.Int32AsPlace(&first))
	moved, _, err := client.MovesAPI.MoveItem(context).Move(*move).Execute()
	check(err)
	_, err = details.DeleteItem1(context, "Leaf").Execute()
	check(err)
	steps := drilldown.NewEditSteps([]drilldown.EditStep{
		drilldown.DeleteStepAsEditStep(drilldown.NewDeleteStep(added.Href)),
		drilldown.PatchStepAsEditStep(drilldown.NewPatchStep(map[string]interface{}{"Subtitle": nil}, detail.Href)),
	})
	edits, _, err := client.EditsAPI.DoEdits(context).EditSteps(*steps).Execute()
	check(err)

	_, missing, err := details.GetDetail1(context, "Nothing").Execute()
	absence := problem(err)
	kind, _, err := client.ProblemsAPI.GetProblemsOfKind(context, "no-such-item").Execute()
	check(err)
	all, _, err := client.ProblemsAPI.GetProblems(context).Execute()
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"page":    []interface{}{[]string{page.Rows[0].Key}, page.Next.Get()},
		"level":   []interface{}{row.Key, row.GetFieldsVersion() == detail.FieldsVersion, level.Since},
		"detail":  []interface{}{detail.Title, detail.Fields["Title"], detail.Position.Of},
		"edit":    []interface{}{changed.Fields["Subtitle"], late.StatusCode, conflict.GetCurrentFields() == changed.FieldsVersion},
		"delta":   []interface{}{delta.Rows, updated, delta.Removed},
		"edits":   []interface{}{added.Fields["Price"], put.Fields["Price"], moved.Href, edits.Edits[0].GetHref(), edits.Edits[1].GetHref()},
		"missing": []interface{}{absence.Type, missing.StatusCode, absence.GetNearest()},
		"kinds":   []interface{}{kind.ProblemKind.Status, len(all.ProblemKinds.Problems) > 1},
	}))
}
