#include "treewright/state/json.hpp"

#include "check.hpp"

using namespace treewright::state;

namespace {

bool is_refused(std::string_view text) {
    try {
        const Json json(text, 0, most_object_bytes(text.size()));
        return false;
    } catch (const FormatError&) {
        return true;
    }
}

}  // namespace

CASE(tokens_know_what_follows_them) {
    const Json json(R"({"a": [1, 2.5], "b": {"c": null}, "d": "x\ny"})", 0, 1 << 20);
    CHECK(json[0].kind == Kind::object && json[0].count == 3);
    CHECK(json.behind(0) == json.size());
    const std::size_t list = json.find(0, "a");
    CHECK(json[list].kind == Kind::list && json[list].count == 2);
    CHECK(json.size_at(list + 1) == 1);
    CHECK(json.real(list + 2) == 2.5);
    CHECK(json.find(json.find(0, "b"), "c") != 0);
    CHECK(json.find(0, "e") == 0);
    CHECK(json.text(json.find(0, "d")) == "x\ny");
}

CASE(json_is_read_strictly) {
    for (const char* text : {"[1,]", "01", "1.", "NaN", "'a'", "[1] 2", "{\"a\":1,\"a\":2}", "",
                             "\"\\x\"", "\"\xff\"", "\"\xed\xa0\x80\"", "1e999"})
        CHECK(is_refused(text));
    for (const char* text : {"[]", "-0.0", "\"\\ud800\"", "{\"a\":{\"a\":1}}", " 1 "})
        CHECK(!is_refused(text));
    CHECK(!is_refused(std::string(64, '[') + std::string(64, ']')));
    CHECK(is_refused(std::string(65, '[') + std::string(65, ']')));
}

CASE(pairs_of_surrogates_are_one_letter) {
    CHECK(Json(R"("\ud83c\udf33")", 0, 1 << 20).text(0) == "\xf0\x9f\x8c\xb3");
    CHECK(Json(R"("\ud83c!")", 0, 1 << 20).text(0) == "\xed\xa0\xbc!");
}
